"""Things that are sold in sizes, and what siblings tell of a price that the book does not have."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices import Bound, NotKnown, Price
from gpucluster.cost.prices.families import family_of
from gpucluster.cost.prices.lookup import price_or_bound
from tests.cases import cases
from tests.says import Says
from tools.prices.widths import Without


@cases
def test_a_name_tells_family_and_size(sku: str, name: str, sizes: list[str]) -> None:
    found = family_of(sku)
    assert found is not None
    assert (found.name, [*found.sizes]) == (name, [Decimal(size) for size in sizes])


@pytest.mark.parametrize(
    "sku", ["g7.xlarge", "p3.2xlarge", "f1-micro", "Standard_DS2_v2", "Standard_B2s", "nat-gateway-hour"]
)
def test_sizes_that_no_table_has_are_none(sku: str) -> None:
    """The GPUs of a machine are not in its name; Azure's older sizes are numbered."""
    assert family_of(sku) is None


@pytest.mark.parametrize("sku", ["fsx-lustre-persistent2-ssd-0", "managed-disk-P99-lrs", "m7i.0xlarge"])
def test_a_size_that_there_is_none_of_has_no_family(sku: str) -> None:
    assert family_of(sku) is None


def _bound(
    book: PriceBook, cloud: str, region: str, sku: str, *, purchase: str = "on_demand", unit: str = "instance-hour"
) -> Bound | None:
    found = price_or_bound(book, cloud, region, sku, purchase, unit=unit)
    if isinstance(found, NotKnown):
        return None
    assert isinstance(found, Price)
    assert found.instead_of is not None
    bound = found.instead_of.bound
    assert bound is not None
    assert (found.row.sku, found.row.region, found.usd) == (sku, region, bound.most)
    return bound


def test_a_machine_costs_in_proportion_to_its_siblings_in_the_region(book: PriceBook) -> None:
    found = _bound(book, "aws", "us-east-1", "m7i.16xlarge")
    assert found is not None
    assert found.rule == Says("m7i.2xlarge", "$0.4032", "us-east-1", "1.02")
    assert (found.least, found.most) == (Decimal("3.16235"), Decimal("3.29012"))


def test_where_other_regions_sell_both_sizes_their_ratio_counts(book: PriceBook) -> None:
    hidden = next(row for row in book.of_thing("aws", "us-east-1", "p5.4xlarge") if row.purchase == "on_demand")
    found = _bound(Without(book, hidden), "aws", "us-east-1", "p5.4xlarge")
    assert found is not None
    assert found.rule == Says("p5.48xlarge", "$55.04", "us-east-1", "0.125", "other regions", "1.02")
    assert found.least < hidden.usd_per_unit < found.most
    assert found.width < Decimal("1.05")


def test_a_smaller_machine_of_whole_gpus_costs_in_proportion_to_them() -> None:
    """A p5.4xlarge has an eighth of the GPUs of a p5.48xlarge, and a twelfth of its vCPUs."""
    eighth = family_of("p5.4xlarge")
    whole = family_of("p5.48xlarge")
    assert eighth is not None
    assert whole is not None
    assert eighth.proportions(whole) == (Decimal("0.125"),)


def test_spot_prices_of_sizes_may_be_out_of_proportion(book: PriceBook) -> None:
    found = _bound(book, "aws", "us-east-1", "p5.4xlarge", purchase="spot")
    assert found is not None
    assert found.rule == Says("p5.48xlarge", "$19.2531", "us-east-1", "1.5")
    assert (found.least, found.most) == (Decimal("1.60442"), Decimal("3.60996"))


@pytest.mark.parametrize(
    ("sku", "purchase", "sibling", "least", "most"),
    [
        ("g2-standard-96", "on_demand", "g2-standard-12", "7.27", "8.80"),
        ("n2-highmem-8", "on_demand", "n2-standard-16", "0.35", "0.86"),
        ("n2-custom-6-12288", "on_demand", "n2-standard-16", "0.13", "0.33"),
        ("a2-highgpu-4g", "flex_start", "a2-highgpu-1g", "7.84", "8.17"),
    ],
)  # fmt: skip
def test_machines_of_google_are_bounded_by_their_vcpus_memory_and_gpus(
    book: PriceBook, sku: str, purchase: str, sibling: str, least: str, most: str
) -> None:
    found = _bound(book, "gcp", "us-central1", sku, purchase=purchase)
    assert found is not None
    assert found.rule == Says(sibling, "us-central1")
    assert Decimal(least) <= found.least <= found.most <= Decimal(most)


def test_where_the_region_has_no_sibling_those_of_others_count(book: PriceBook) -> None:
    found = _bound(book, "azure", "eastus", "managed-disk-P15-zrs", unit="disk-month")
    assert found is not None
    assert found.rule.startswith("by size from managed-disk-P30-zrs $")
    assert found.rule.endswith(" in eastus2, divided and multiplied by 2")
    known = book.lookup("azure", "eastus2", "managed-disk-P30-zrs", unit="disk-month")
    assert isinstance(known, Price)
    assert (found.least, found.most) == (known.usd / 4 / 2, known.usd * 2)


def test_between_two_siblings_the_nearest_on_either_side_counts(book: PriceBook) -> None:
    found = _bound(book, "gcp", "us-central1", "managed-lustre-400", unit="GiB-month")
    assert found is not None
    assert found.rule == Says(
        "managed-lustre-500", "$0.34", "us-central1", "managed-lustre-250", "$0.21", "us-central1", "1.1"
    )


def test_with_other_gpus_in_less_of_a_machine_a_sibling_tells_nothing(book: PriceBook) -> None:
    """A g5.16xlarge has one GPU: it may cost less than a g5.12xlarge, which has four."""
    found = _bound(book, "aws", "us-east-1", "g5.16xlarge")
    assert found is not None
    assert "g5.12xlarge" not in found.rule
    assert found.least < Decimal("4.096") < found.most


def test_siblings_of_another_way_to_buy_tell_nothing(book: PriceBook) -> None:
    assert _bound(book, "gcp", "us-central1", "a2-highgpu-4g", purchase="dws_calendar") is None
