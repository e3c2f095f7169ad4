"""Moving data: its time, and its price by bands."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from gpucluster.cost import PriceBook
from gpucluster.cost.prices import NotKnown
from gpucluster.cost.pricing.transfer import Egress, days_to_move, egress_of, flow_gigabytes
from tests.cases import cases


def test_100_gigabits_a_second_for_30_days_at_5_cents_a_gb_are_1_62_million() -> None:
    gigabytes = flow_gigabytes(Decimal(100), Decimal(30))
    assert gigabytes == 32_400_000
    assert gigabytes * Decimal("0.05") == 1_620_000


def test_days_follow_from_size_and_line() -> None:
    assert days_to_move(Decimal(1080), Decimal(100)) == 1
    assert days_to_move(Decimal(100), Decimal(10)) * 86400 == 80_000


@cases
def test_what_leaves_costs_by_the_bands_of_its_region(
    provider: str, region: str, gib: int, usd: str, unpriced: int, book: PriceBook
) -> None:
    found = egress_of(book, provider, region, Decimal(gib))
    assert isinstance(found, Egress)
    assert (found.usd, found.unpriced_gib, found.complete) == (Decimal(usd), unpriced, not unpriced)


def test_every_internet_egress_row_has_a_note_that_is_understood(book: PriceBook) -> None:
    places = {
        (row.provider, row.region) for cloud in ("aws", "gcp", "azure") for row in book.rows(cloud)
        if row.sku == "internet-egress"
    }  # fmt: skip
    for provider, region in places:
        found = egress_of(book, provider, region, Decimal(1_000_000))
        assert isinstance(found, Egress)
        priced = 1_000_000 - found.unpriced_gib
        assert 0 < found.usd / priced < Decimal("0.2"), (provider, region)


def test_a_region_without_a_price_is_not_known(book: PriceBook) -> None:
    found = egress_of(book, "gcp", "xx-nowhere1", Decimal(1))
    assert isinstance(found, NotKnown)
    assert "no price for internet-egress" in found.reason


def test_a_price_of_the_users_own_holds_for_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("provider,region,sku,unit,usd_per_unit\nazure,eastus,internet-egress,GiB,0.02\n")
    found = egress_of(PriceBook(own=path), "azure", "eastus", Decimal(100_000))
    assert isinstance(found, Egress)
    assert (found.usd, found.unpriced_gib) == (2000, 0)
