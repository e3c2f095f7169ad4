"""What holds for every purchase option, whatever the numbers."""

from __future__ import annotations

import datetime
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from gpucluster.cost import PriceBook
from gpucluster.cost.pricing.model import Count
from gpucluster.cost.purchasing import Settings
from gpucluster.cost.purchasing.options import Mix, mixes_of
from gpucluster.cost.purchasing.pools import Pool
from gpucluster.cost.purchasing.price import Option, option_of
from gpucluster.cost.purchasing.purchase_options import purchase_options_of
from gpucluster.cost.purchasing.spot_interruption import Interruption, interruptions

BOOK = PriceBook(today=datetime.date(2026, 11, 21))
MACHINES = {"aws": ("us-east-1", "p5.48xlarge"), "gcp": ("us-central1", "a3-megagpu-8g"),
            "azure": ("eastus", "Standard_NC40ads_H100_v5")}  # fmt: skip

counts = st.integers(1, 400).map(Decimal)
shares = st.decimals(0, 1, places=3)


def _pool(provider: str, count: Count) -> Pool:
    region, machine = MACHINES[provider]
    return Pool(urn="urn", name="pool", part="part", training=True, provider=provider, region=region, machine=machine,
                count=count, purchase="on_demand", lines=())  # fmt: skip


def _options(provider: str, machines: Decimal, days: Decimal, chosen: Settings) -> list[Option]:
    pool = _pool(provider, Count.fixed(machines))
    found = [
        option_of(BOOK, pool, way, chosen, days, machines) for way in purchase_options_of(BOOK, provider, pool.machine)
    ]
    return [option for option in found if isinstance(option, Option)]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(MACHINES)), counts, st.integers(1, 180).map(Decimal), shares)
def test_more_machines_for_more_days_never_cost_less(
    provider: str, machines: Decimal, days: Decimal, cover: Decimal
) -> None:
    chosen = Settings(cover=cover)
    less, more = (_options(provider, machines + extra, days + extra, chosen) for extra in (0, 1))
    for one, other in zip(less, more, strict=True):
        assert one.monthly <= other.monthly
        assert one.bought.machines >= one.bought.used
        assert one.contract is not None and other.contract is not None and one.contract <= other.contract
        assert one.by_end is not None and other.by_end is not None and one.by_end <= other.by_end
        assert one.upfront is not None and one.upfront <= one.by_end


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 50).map(Decimal), min_size=3, max_size=3), st.integers(0, 60).map(Decimal), shares)
def test_a_mix_costs_no_less_at_its_ceiling_than_at_its_floor(
    numbers: list[Decimal], baseline: Decimal, spot: Decimal
) -> None:
    floor, expected, ceiling = sorted(numbers)
    pool = _pool("azure", Count(expected, floor, ceiling))
    for mix in mixes_of(BOOK, pool, Settings(baseline=baseline, spot_share=spot)):
        if isinstance(mix, Mix):
            assert not isinstance(mix.ceiling, str)
            assert mix.floor <= mix.expected <= mix.ceiling


@settings(max_examples=60, deadline=None)
@given(counts, shares, st.decimals("0.01", 24, places=2), st.decimals(0, 24, places=2))
def test_useful_is_a_share_and_more_nodes_never_leave_more(
    nodes: Decimal, rate: Decimal, checkpoint: Decimal, restart: Decimal
) -> None:
    taken, chosen = Interruption(an_hour=rate, text=""), Settings(checkpoint_hours=checkpoint, restart_hours=restart)
    few, many = interruptions(nodes, taken, chosen), interruptions(nodes + 1, taken, chosen)
    assert 0 <= many.useful <= few.useful <= 1
    assert 0 <= few.per_hour <= many.per_hour <= 1
