"""A month in which machines run 200 hours: machines stay as many, and a GPU-hour is one of the hours that they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, Estimate, PriceBook, estimate
from gpucluster.cost.comparison.figures import Ask, figures_of
from gpucluster.cost.estimate.teams import team_costs
from gpucluster.cost.pricing.assumptions import Exceptions
from gpucluster.cost.purchasing import Options, Settings, options_of
from gpucluster.cost.purchasing.recommendations import advice_of
from tests.cost.conftest import NOWHERE
from tests.says import Says

Make = Callable[..., Resource]
Stack = Callable[..., list[Resource]]

HOURS = Decimal(200)
PART_TIME = Assumptions(hours_per_month=HOURS)
MACHINES = 5 * Decimal("55.04")  # USD per hour
REGIONS = {"aws": "us-east-1", "gcp": "us-central1"}


def _resources(stack: Stack, cloud: str = "aws", **facts: Any) -> Resources:
    return Resources(stack(cloud, **facts), default_regions=REGIONS)


def _estimate(resources: Resources, book: PriceBook, assumptions: Assumptions = PART_TIME) -> Estimate:
    return estimate(resources, book, assumptions)


def _options(stack: Stack, book: PriceBook, cloud: str = "aws") -> Options:
    return options_of(_resources(stack, cloud), book, Settings(), PART_TIME)


def test_the_month_is_divided_by_the_hours_that_its_machines_run(stack: Stack, book: PriceBook) -> None:
    whole, part = (_estimate(_resources(stack), book, one) for one in (Assumptions(), PART_TIME))
    rest = whole.training_monthly - MACHINES * 730  # storage and control plane, at all hours
    assert part.training_monthly == rest + MACHINES * HOURS
    assert part.per_training_gpu_hour == round((rest + MACHINES * HOURS) / (32 * HOURS), 2)


def test_a_bound_is_divided_by_the_same_hours(stack: Stack, book: PriceBook, make: Make) -> None:
    missing = make("aws:ebs/volume:Volume", "missing", type="gp3", size=1000, region=NOWHERE)
    found = _estimate(Resources([*stack("aws"), missing], default_regions=REGIONS), book)
    gap = found.gaps
    assert gap.expected.least > 0
    assert gap.gpu_hour.least == round(gap.expected.least / (32 * HOURS), 2)


@pytest.mark.parametrize("assumed", ["savings_plan_1y_share", "savings_plan_3y_share"])
def test_a_commitment_is_paid_all_month_for_the_hours_that_machines_run(
    stack: Stack, book: PriceBook, assumed: str
) -> None:
    found = _estimate(_resources(stack), book, replace(PART_TIME, **{assumed: Decimal("0.5")}))
    assert found.training_hours == HOURS


def test_other_hours_of_the_training_machines_alone(stack: Stack, book: PriceBook, make: Make) -> None:
    own = Exceptions({}, {"trial-training-nodes": {"hours_per_month": HOURS}}, "usage.yaml")
    beside = make("aws:ec2/instance:Instance", "beside", instanceType="m5.large")
    resources = Resources([*stack("aws"), beside], default_regions=REGIONS)
    assert _estimate(resources, book, Assumptions(exceptions=own)).training_hours == HOURS


def test_machines_that_never_run_have_no_price_of_an_hour(stack: Stack, book: PriceBook) -> None:
    found = _estimate(_resources(stack), book, Assumptions(hours_per_month=Decimal(0)))
    assert found.per_training_gpu_hour is None


def test_slices_and_teams_have_the_hours_of_their_machines(make: Make, book: PriceBook) -> None:
    facts = {
        "slices": {"trial-mig": {"1g.10gb": {"count": 7, "eighths": 1}}},
        "teams": {"vision": {"shares": {"trial-mig": {"gpus": 4, "of": 8}}}},
    }
    cluster = make("x:y:Cluster", "trial", custom=False, **facts)
    pool = make("x:y:Mig", "trial-mig", custom=False, parent=cluster)
    nodes = make("aws:eks/nodeGroup:NodeGroup", "trial-mig-nodes", parent=pool, instanceTypes=["p5.48xlarge"],
                 scalingConfig={"desiredSize": 1}, diskSize=500)  # fmt: skip
    found = _estimate(Resources([cluster, pool, nodes], default_regions=REGIONS), book)
    monthly = 200 * Decimal("55.04") + 500 * Decimal("0.08")
    assert found.per_slice_hour == {"trial-mig": {"1g.10gb": round(monthly / HOURS / 7, 2)}}
    assert [team.gpu_hours for team in team_costs(found)] == [4 * HOURS, 4 * HOURS]


@pytest.mark.parametrize("cloud", ["aws", "gcp", "azure-native"])
def test_every_option_counts_the_same_machines_and_hours(stack: Stack, book: PriceBook, cloud: str) -> None:
    found = _options(stack, book, cloud).pools[0]
    report = _estimate(_resources(stack, cloud), book)
    by_purchase = {option.way.purchase: option for option in found.options}
    own = by_purchase["on_demand"]
    assert (found.pool.count.expected, found.nodes) == (5, 4)
    assert found.stack_monthly(own) == report.monthly.expected
    assert found.per_gpu_hour(own) == report.per_training_gpu_hour
    for option in found.options:
        hours = 730 if option.way.all_month else HOURS
        assert option.monthly == round(option.rate.usd * option.bought.machines * hours, 2)
        assert found.per_gpu_hour(option) == round((found.training_rest + option.monthly) / (32 * HOURS), 2)
    for zone in found.zones:
        assert zone.monthly == round(zone.row.usd_per_unit * 5 * HOURS, 2)


def test_what_is_paid_by_the_end_of_a_trial_has_these_hours(stack: Stack, book: PriceBook) -> None:
    found = _options(stack, book).pools[0]
    by_purchase = {option.way.purchase: option.by_end for option in found.options}
    assert by_purchase["on_demand"] == round(MACHINES * 24 * 14 * HOURS / 730, 2)
    assert by_purchase["capacity_block"] == round(
        8 * next(option.rate.usd for option in found.options if option.way.purchase == "capacity_block") * 24 * 14, 2
    )


def test_machines_of_a_comparison_are_as_many_and_emit_in_these_hours(stack: Stack, book: PriceBook) -> None:
    whole, part = (
        figures_of(_estimate(_resources(stack), book, one), book, Ask()) for one in (Assumptions(), PART_TIME)
    )
    assert whole is not None
    assert part is not None
    assert (part.nodes, part.usd_per_gpu_hour) == (whole.nodes, whole.usd_per_gpu_hour) == (5, Decimal("6.88"))
    assert whole.tonnes is not None
    assert part.tonnes is not None
    assert round(part.tonnes, 9) == round(whole.tonnes * HOURS / 730, 9)


def test_no_commitment_is_advised_below_its_break_even(stack: Stack, book: PriceBook) -> None:
    found = advice_of(_resources(stack, "gcp"), book, Settings(days=Decimal(1000)), PART_TIME)
    commitments = [one for one in found if one.kind == "commitment"]
    assert commitments
    assert {one.saves for one in commitments} == {None}  # 27.4 % of the hours, and the cheapest needs 43.5 %


@pytest.mark.parametrize(("days", "saves"), [(700, False), (1000, True)])
def test_a_commitment_pays_for_hours_and_days_together(stack: Stack, book: PriceBook, days: int, saves: bool) -> None:
    """For 3 years it costs as much as 43.5 % of their hours, at half of all hours 87 % of the days: 954."""
    half = Assumptions(hours_per_month=Decimal(365))
    found = advice_of(_resources(stack, "gcp"), book, Settings(days=Decimal(days)), half)
    [three] = [one for one in found if one.kind == "commitment" and "3y" in one.text]
    assert (three.saves is not None, three.text == Says(365)) == (saves, True)
    assert saves or three.text == Says(954, 700)
