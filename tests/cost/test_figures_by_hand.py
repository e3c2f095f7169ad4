"""Figures that were worked out by hand for the trials, one after the other, and why each is what it is."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.comparison.carbon import grid_of, tonnes_a_year
from gpucluster.cost.handlers.reserved_capacity import block_days, block_size
from gpucluster.cost.pricing.terms import support_of
from gpucluster.cost.pricing.transfer import GIB_PER_GB, Egress, egress_of, flow_gigabytes
from gpucluster.cost.purchasing.rate import Settings
from gpucluster.cost.purchasing.spot_interruption import Interruption, interruptions
from gpucluster.cost.tco import Inputs, against, own_cluster
from tests.cost.tco.test_own import PUBLISHED

ALWAYS_100_GBPS = flow_gigabytes(Decimal(100), Decimal(30))


def _useful(nodes: int) -> Callable[[PriceBook], Decimal]:
    """% of spot hours, where 2 % of the machines are taken back in an hour."""
    rate = Interruption(an_hour=Decimal("0.02"), text="")
    return lambda _: 100 * interruptions(Decimal(nodes), rate, Settings()).useful


def _support(plan: str, stack: str, account: int) -> Callable[[PriceBook], Decimal]:
    return lambda book: support_of(book, "aws", plan).added(Decimal(stack), Decimal(account))


def _egress(cloud: str, region: str, gigabytes: Decimal) -> Callable[[PriceBook], Decimal]:
    def usd(book: PriceBook) -> Decimal:
        found = egress_of(book, cloud, region, gigabytes * GIB_PER_GB)
        assert isinstance(found, Egress)
        assert found.complete
        return found.usd

    return usd


def _carbon(cloud: str, region: str) -> Callable[[PriceBook], Decimal]:
    def tonnes(_: PriceBook) -> Decimal:
        grid = grid_of(cloud, region)
        assert grid is not None
        return tonnes_a_year(Decimal(5), Decimal(10), grid.pue, grid.g_per_kwh / 1000)

    return tonnes


def _break_even(*more: str) -> Callable[[PriceBook], Decimal]:
    def percent(_: PriceBook) -> Decimal:
        own = own_cluster(Inputs.of(settings=[*PUBLISHED, *more]))
        found = against(own, "cloud", Decimal("5.25"), idle_too=False).break_even
        assert found is not None
        return found * 100

    return percent


def _block(price: str) -> Callable[[PriceBook], Decimal]:
    return lambda _: block_size(Decimal(5)) * block_days(Decimal(90)) * 24 * Decimal(price)


@pytest.mark.parametrize(
    ("figure", "digits", "expected"),
    [
        (_useful(4), 1, "96.0"),
        (_useful(32), 1, "72.2"),
        (_block("34.608"), 2, "604670.98"),  # of January 2026; 5 machines are a block of 8, 90 days are sold as 91
        (_block("41.528"), 2, "725577.22"),  # since July 2026
        (_support("enterprise", "215455.34", 100_000), 2, "16581.87"),  # what the stack adds: $232,037.21 with it
        (_support("business", "215000", 0), 2, "12650.00"),  # 5.9 %
        (_egress("aws", "us-east-1", Decimal(100_000)), 2, "7338.46"),  # 100 TB
        (_egress("aws", "us-east-1", ALWAYS_100_GBPS), 2, "1512633.77"),  # "at least $11,571.20" before all its tiers
        (_egress("gcp", "us-central1", ALWAYS_100_GBPS), 2, "2414305.55"),
        (_egress("azure", "eastus", ALWAYS_100_GBPS), 2, "1512512.43"),
        (_carbon("aws", "us-east-1"), 0, "188"),
        (_carbon("azure", "eastus"), 0, "197"),
        (_carbon("gcp", "us-central1"), 0, "208"),
        (_break_even(), 1, "54.2"),  # % of hours: 3.554 x 0.8 / 5.25
        (_break_even("idle_power_share=0", "network_usd_per_gpu_hour=0.1"), 1, "53.9"),  # otherwise
    ],
)  # fmt: skip
def test_it_comes_out_as_by_hand(
    figure: Callable[[PriceBook], Decimal], digits: int, expected: str, book: PriceBook
) -> None:
    assert f"{figure(book):.{digits}f}" == expected
