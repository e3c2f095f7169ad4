"""What holds of stacks in blocks and reservations, whoever bought them."""

from __future__ import annotations

import csv
import datetime
import runpy
from decimal import Decimal
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.report_json import report_json
from gpucluster.cost.estimate.labels import group_by
from gpucluster.cost.handlers.reserved_capacity import block_days, block_size
from gpucluster.cost.prices.book import _FOLDER
from gpucluster.cost.pricing.model import Amounts

audit = runpy.run_path(str(Path(__file__).parents[3] / "examples/audit_report.py"))["audit"]
BOOK = PriceBook(today=datetime.date(2026, 11, 21))
HOUR = {"block": Decimal("41.528"), "by id": Decimal("55.04"), "own": Decimal("55.04")}
COUNTS = st.integers(1, 70)
STACKS = st.fixed_dictionaries({kind: st.lists(COUNTS, max_size=3) for kind in HOUR} | {"idle": st.integers(0, 5)})
DAYS = st.integers(1, 120)


def _make(type_: str, name: str, depends: dict[str, Resource] | None = None, **inputs: object) -> Resource:
    urn, behind = f"urn:pulumi:dev::test::{type_}::{name}", {key: (item.urn,) for key, item in (depends or {}).items()}
    return Resource(urn=urn, type=type_, name=name, inputs=inputs, dependencies=behind, custom=":" in type_[4:])


def _group(name: str, nodes: int, template: Resource, capacity: str) -> Resource:
    return _make("aws:eks/nodeGroup:NodeGroup", name, {"launchTemplate": template}, launchTemplate={"id": name},
                 scalingConfig={"desiredSize": nodes}, capacityType=capacity, tags={"team": name})  # fmt: skip


def _template(name: str, target: str, own: Resource | None) -> Resource:
    reservation = {"capacityReservationTarget": {"capacityReservationId": target}}
    depends = {"capacityReservationSpecification": own} if own else {}
    return _make("aws:ec2/launchTemplate:LaunchTemplate", f"{name}-t", depends, instanceType="p5.48xlarge",
                 blockDeviceMappings=[], capacityReservationSpecification=reservation)  # fmt: skip


def _stack(pools: dict[str, list[int]], idle: int) -> list[Resource]:
    """Pools in one block, in a reservation each by its id, and in one of the stack that holds `idle` more."""
    own = _make("aws:ec2/capacityReservation:CapacityReservation", "own", instanceType="p5.48xlarge",
                instanceCount=sum(pools["own"]) + idle)  # fmt: skip
    found = [own]
    for kind, counts in pools.items():
        for number, nodes in enumerate(counts):
            name = f"{kind}-{number}"
            target = "cr-block" if kind == "block" else f"cr-{number}"
            template = _template(name, target, own if kind == "own" else None)
            found += [template, _group(name, nodes, template, "CAPACITY_BLOCK" if kind == "block" else "ON_DEMAND")]
    return found


def _expected(pools: dict[str, list[int]], idle: int) -> dict[str, Decimal]:
    """Machine-hours a month that are paid for, by kind."""
    block = sum((block_size(Decimal(sum(pools["block"]))) for _ in pools["block"][:1]), Decimal(0))
    machines = {"block": block, "by id": Decimal(sum(pools["by id"])), "own": Decimal(sum(pools["own"]) + idle)}
    return {kind: count * 730 * HOUR[kind] for kind, count in machines.items()}


@settings(max_examples=60, deadline=None)
@given(STACKS, DAYS)
def test_every_machine_is_paid_for_once_and_every_sum_is_that_of_its_lines(
    pools: dict[str, list[int]], days: int
) -> None:
    idle = pools.pop("idle")
    assert isinstance(idle, int)
    cluster = _make("x:y:Cluster", "cluster", durationDays=days)
    resources = Resources([cluster, *_stack(pools, idle)], default_regions={"aws": "us-east-1"})
    found, expected = estimate(resources, BOOK), _expected(pools, idle)
    machines = [line for line in found.lines if line.unit == "instance-hour"]
    assert sum((line.monthly for line in machines), Decimal(0)) == round(sum(expected.values(), Decimal(0)), 2)
    assert found.committed_monthly == round(expected["block"] + expected["by id"], 2)
    assert all(line.monthly == 0 for line in machines if line.paid_by)
    assert found.upfront == round(expected["block"] / 730 * 24 * block_days(Decimal(days)), 2)
    _check_trial(found, days)
    assert Amounts.of(found.lines) == found.monthly
    groups = group_by(found, resources, "team").groups
    assert sum((group.monthly.expected for group in groups), Decimal(0)) == found.monthly.expected
    assert sum((group.committed_monthly for group in groups), Decimal(0)) == found.committed_monthly
    assert audit(report_json(found).model_dump(), _rows()) == []


def _check_trial(found: Estimate, days: int) -> None:
    """The fee of a block counts as it is paid, and everything else by the day."""
    by_day = sum((line.monthly for line in found.lines if not line.upfront), Decimal(0))
    assert found.trial_total == round(by_day * days * 24 / 730, 2) + found.upfront


def _rows() -> list[dict[str, str]]:
    rows: list[dict[str, str]] = []
    for path in sorted(Path(_FOLDER).glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows += [row for row in csv.DictReader(file) if "usd_per_unit" in row]
    return rows
