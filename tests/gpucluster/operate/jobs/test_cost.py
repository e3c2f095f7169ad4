"""What jobs cost so far: GPU-hours by Kueue's times, dollars by the price of their machines."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from gpucluster.cost.prices import Price
from gpucluster.cost.pricing.plan_prices import machine_price
from gpucluster.operate.jobs.cost import By, Cost, cost_of, sums
from gpucluster.operate.jobs.jobs import Job, jobs_of
from gpucluster.operate.jobs.objects import ClusterObjects
from tests.gpucluster.operate.jobs.objects import NOW, condition, flavor, job, node, pod, workload
from tests.says import Says

NODES = [node("a"), node("b"), node("c", pool="dev", bought="spot")]


def _costs(
    *workloads: dict[str, Any],
    nodes: list[dict[str, Any]] | None = NODES,
    flavors: tuple[dict[str, Any], ...] = (),
    pods: tuple[dict[str, Any], ...] = (),
) -> list[tuple[Job, Cost]]:
    own = (job("a", user="ada"), job("v", namespace="team-vision"))
    objects = ClusterObjects(
        workloads=workloads,
        jobs={"TrainJob": own},
        pods=pods,
        events=(),
        nodes=nodes,
        flavors=flavors,
        logs=lambda: iter(()),
    )
    named = {one["metadata"]["ownerReferences"][0]["name"] for one in workloads}
    found = [one for one in jobs_of(objects, NOW) if one.name in named]
    return [(one, cost_of(one, objects, None, NOW)) for one in found]


def _price(machine: str, purchase: str = "on_demand") -> Decimal:
    found = machine_price("aws", "us-east-1", machine, purchase)
    assert isinstance(found, Price)
    return found.usd


ADMITTED = condition("Admitted", 3)


@pytest.mark.parametrize(
    ("load", "hours"),
    [
        (workload("a", ADMITTED, usage={"nvidia.com/gpu": "16", "cpu": "8"}), "48"),
        (workload("a", ADMITTED, condition("Finished", 1), usage={"nvidia.com/gpu": "16"}), "32"),
        (workload("a", ADMITTED, count=2, accumulatedPastExecutionTimeSeconds=1800), "56"),
        (workload("a", condition("QuotaReserved", 1, status="False"), accumulatedPastExecutionTimeSeconds=3600), "8"),
        (workload("a", ADMITTED, usage={"nvidia.com/mig-1g.10gb": "7"}), "3"),
        (workload("a", ADMITTED, usage={"cpu": "8"}), "0"),
        (workload("a", condition("QuotaReserved", 1, status="False")), "0"),
    ],
    ids=["runs", "ended", "again", "between", "slices", "no-gpu", "waits"],
)
def test_gpu_hours_are_those_from_admission_to_the_end_of_every_attempt(load: dict[str, Any], hours: str) -> None:
    [(_, cost)] = _costs(load)
    assert cost.gpu_hours == Decimal(hours)
    assert cost.usd == Decimal(hours) * _price("p5.48xlarge") / 8


def test_the_price_is_that_of_the_machines_that_its_pods_are_on() -> None:
    load = workload("a", ADMITTED, usage={"nvidia.com/gpu": "1"})
    [(_, cost)] = _costs(load, pods=(pod("a-0", "a", node="c"),))
    assert cost.usd == 3 * _price("p5.48xlarge", "spot") / 8
    assert cost.price is not None
    assert cost.price.as_of


@pytest.mark.parametrize("nodes", [None, []], ids=["forbidden", "gone"])
@pytest.mark.parametrize(("bought", "purchase"), [("", "on_demand"), ("spot", "spot")])
def test_a_submitter_knows_the_price_by_the_flavor_that_kueue_assigned(
    nodes: list[dict[str, Any]] | None, bought: str, purchase: str
) -> None:
    load = workload("a", ADMITTED, usage={"nvidia.com/gpu": "8"}, flavor="training-hosts")
    flavors = (flavor("training-hosts", bought=bought), flavor("dev", "p5.4xlarge"))
    [(_, cost)] = _costs(load, nodes=nodes, flavors=flavors, pods=(pod("a-0", "a"),))
    assert cost.usd == 24 * _price("p5.48xlarge", purchase) / 8


def test_a_flavor_bought_in_several_ways_gives_no_price() -> None:
    flavors = (flavor("training", bought="on-demand-or-spot"),)
    [(_, cost)] = _costs(workload("a", ADMITTED, usage={"nvidia.com/gpu": "8"}), nodes=None, flavors=flavors)
    assert (cost.usd, cost.price and cost.price.unknown) == (None, Says("p5.48xlarge", "on demand or spot", "its node"))


@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        (None, Says("may not read nodes", "its flavor names no machine")),
        ([], Says("pool training", "no machine")),
        ([node("a"), node("b", bought="spot")], Says("several kinds")),
        ([node("a", "x9.large")], Says("x9.large")),
    ],
    ids=["forbidden", "none", "mixed", "foreign"],
)
def test_a_price_that_is_not_known_is_never_zero(nodes: list[dict[str, Any]] | None, why: str) -> None:
    [(_, cost)] = _costs(workload("a", ADMITTED), nodes=nodes)
    assert (cost.gpu_hours, cost.usd) == (Decimal(24), None)
    assert cost.price is not None
    assert cost.price.unknown == why


@pytest.mark.parametrize(
    ("by", "rows"),
    [
        ("team", [("(no team)", 1, "24"), ("vision", 1, "128")]),
        ("user", [("(not known)", 1, "128"), ("ada", 1, "24")]),
        ("day", [("2026-11-27", 1, "24"), ("2026-11-28", 2, "120"), ("earlier attempts", 1, "8")]),
    ],
)
def test_sums_are_by_team_user_and_day(by: By, rows: list[tuple[str, int, str]]) -> None:
    found = _costs(
        workload("a", ADMITTED),
        workload("v", condition("Admitted", 15), namespace="team-vision", accumulatedPastExecutionTimeSeconds=3600),
    )
    assert [(one.name, one.jobs, one.gpu_hours) for one in sums(found, by)] == [
        (name, jobs, Decimal(hours)) for name, jobs, hours in rows
    ]
    assert {one.unknown for one in sums(found, by)} == {Decimal(0)}
    assert sum(one.usd for one in sums(found, by)) == 152 * _price("p5.48xlarge") / 8


def test_a_sum_counts_the_hours_that_have_no_price() -> None:
    [one] = sums(_costs(workload("a", ADMITTED), nodes=None), "team")
    assert (one.usd, one.unknown) == (Decimal(0), Decimal(24))
