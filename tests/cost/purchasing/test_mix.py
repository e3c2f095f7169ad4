"""Elastic pools in mixes of a reserved baseline, spot and on demand."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from gpucluster.core.program.resources import Resource
from gpucluster.cost.purchasing import Options
from gpucluster.cost.purchasing.options import Mix

Found = Callable[..., Options]
ROW = "aws,us-east-1,p5.4xlarge,instance-hour"
OWN = f"{ROW},spot,,2,\n{ROW},savings_plan,1y,4,\n"


def _mixes(found: Options) -> tuple[Mix, ...]:
    return next(item for item in found.pools if item.pool.name == "elastic").mixes


def _shown(mix: Mix) -> tuple[object, ...]:
    baseline = None if mix.baseline is None else mix.baseline.machines
    return baseline, mix.spot_share, mix.floor, mix.expected, mix.ceiling, mix.idle


def test_every_mix_of_baseline_spot_and_on_demand_is_priced(options: Found, elastic: Resource) -> None:
    month = Decimal(730)
    on_demand, spot, half = Decimal("6.88"), Decimal(2), Decimal("4.44")
    base = 1 * 4 * month  # paid for whether used or not
    found = _mixes(options("aws", elastic, own=OWN, baseline=Decimal(1), spot_share=Decimal("0.5")))
    assert [_shown(mix) for mix in found] == [
        *((None, share, 0, 2 * rate * month, 8 * rate * month, 0)
          for share, rate in ((0, on_demand), (1, spot), (Decimal("0.5"), half))),
        *((1, share, base, base + 1 * rate * month, base + 7 * rate * month, 0)
          for share, rate in ((0, on_demand), (1, spot), (Decimal("0.5"), half))),
    ]  # fmt: skip


def test_the_baseline_is_what_runs_on_average_unless_it_is_said(options: Found, elastic: Resource) -> None:
    found = _mixes(options("aws", elastic, own=OWN))
    assert {mix.baseline.machines for mix in found if mix.baseline is not None} == {2}


def test_slots_of_the_baseline_that_nobody_uses_are_paid_for(options: Found, elastic: Resource) -> None:
    found = _mixes(options("aws", elastic, own=OWN, baseline=Decimal(5)))
    reserved = [mix for mix in found if mix.baseline is not None]
    assert {(mix.idle, mix.floor, mix.expected) for mix in reserved} == {(3, 14600, 14600)}


def test_a_baseline_is_never_larger_than_the_pool(options: Found, elastic: Resource) -> None:
    found = _mixes(options("aws", elastic, own=OWN, baseline=Decimal(50)))
    assert {mix.baseline.machines for mix in found if mix.baseline is not None} == {8}


def test_ways_without_a_price_are_named_and_in_no_mix(options: Found, elastic: Resource) -> None:
    found = options("aws", elastic)
    pool = next(item for item in found.pools if item.pool.name == "elastic")
    assert [_shown(mix)[:2] for mix in pool.mixes] == [(None, 0)]
    assert [one.words for one in pool.not_priced] == [
        "spot",
        *(
            f"{plan} {years}{paid}"
            for plan in ("savings plan", "EC2 Instance savings plan")
            for years in ("1y", "3y")
            for paid in ("", ", half upfront", ", all upfront")
        ),
    ]
    assert pool.not_priced[0].reason.own_row == "aws,us-east-1,p5.4xlarge,instance-hour,spot,"
