"""Things that are sold in sizes, and what siblings tell of a price that the book does not have."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.prices import Bound, NotKnown, Price
from gpucluster.cost.prices.bounds import family_of
from gpucluster.cost.prices.other_regions import price_or_bound
from tests.cases import cases
from tests.says import Says


@cases
def test_a_name_tells_family_and_size(sku: str, name: str, sizes: list[str]) -> None:
    found = family_of(sku)
    assert found is not None
    assert (found.name, [*found.sizes]) == (name, [Decimal(size) for size in sizes])


@pytest.mark.parametrize(
    "sku", ["g7.xlarge", "p3.2xlarge", "g2-standard-4", "Standard_DS2_v2", "Standard_B2s", "nat-gateway-hour"]
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


def test_a_size_that_the_book_does_not_have_lies_between_that_of_the_sibling_and_that_times_the_ratio(
    book: PriceBook,
) -> None:
    found = _bound(book, "aws", "us-east-1", "m7i.16xlarge")
    assert found is not None
    assert found.rule == Says("m7i.8xlarge", "$1.6128", "us-east-1", "1.1")
    assert (found.least, found.most) == (Decimal("1.46618"), Decimal("3.54816"))


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
