"""Moving data: its time, and its price by bands."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices import NotKnown
from gpucluster.cost.transfer import Egress, days_to_move, egress_of, flow_gigabytes

TIB = 1024


def test_100_gigabits_a_second_for_30_days_at_5_cents_a_gb_are_1_62_million() -> None:
    gigabytes = flow_gigabytes(Decimal(100), Decimal(30))
    assert gigabytes == 32_400_000
    assert gigabytes * Decimal("0.05") == 1_620_000


def test_days_follow_from_size_and_line() -> None:
    assert days_to_move(Decimal(1080), Decimal(100)) == 1
    assert days_to_move(Decimal(100), Decimal(10)) * 86400 == 80_000


@pytest.mark.parametrize(
    ("provider", "region", "gib", "usd", "unpriced"),
    [
        ("aws", "us-east-1", 100, "9.00", 0),
        ("aws", "us-east-1", 60 * TIB, "5120.00", 0),  # 10 TB at 0.09, 40 at 0.085, 10 at 0.07
        ("aws", "us-east-1", 200 * TIB, "14131.20", 0),  # and 50 at 0.05
        ("aws", "us-east-2", 200 * TIB, "14131.20", 0),
        ("gcp", "us-central1", 20 * TIB, "1955.84", 0),  # 1 TB at 0.12, 9 at 0.11, 10 at 0.08
        ("azure", "eastus", 50, "0.00", 0),
        ("azure", "eastus", 20 * TIB, "1732.10", 0),  # 100 GB free, to 10 TB at 0.087, 10 at 0.083
        ("azure", "eastus", 60 * TIB, "4998.66", 0),
    ],
)
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
