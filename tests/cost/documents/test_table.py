"""The table, as golden files that are reviewed as money, and what must hold in every one of them.

After a change that is meant: `UPDATE_GOLDEN=1 python -m pytest tests/cost/render`, then read the difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.table import as_table
from gpucluster.cost.render.layout import WIDEST
from gpucluster.program.readers.files import read_text
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]
GOLDEN = Path(__file__).parent / "golden"
RECORDED = ["plan.json", "state.json", "update.json"]


def _committed(make: Make) -> list[Resource]:
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-0123"}}
    template = make(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "t",
        instanceType="p5.48xlarge",
        capacityReservationSpecification=target,
    )
    group = make(
        "aws:eks/nodeGroup:NodeGroup", "a-node-group-with-a-name-that-is-longer-than-its-column-can-ever-hold",
        dependencies={"launchTemplate": template}, scalingConfig={"desiredSize": 5}, capacityType="CAPACITY_BLOCK",
    )  # fmt: skip
    facts = {"trainingGpus": 40, "durationDays": 21, "budget": {"monthly": "100", "onExceed": "fail"}}
    return [make("x:y:Cluster", "cluster", custom=False, **facts), template, group]


def _unbounded(make: Make) -> list[Resource]:
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]}]
    zone = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]}
    pool = make(
        "kubernetes:karpenter.sh/v1:NodePool", "pool",
        metadata={"annotations": {"gpucluster/expected-gpus": 1}},
        spec={"template": {"spec": {"requirements": [*requirements, zone], "nodeClassRef": {"name": "c"}}}},
    )  # fmt: skip
    return [pool, make("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", metadata={"name": "c"})]


def _nothing_known(make: Make) -> list[Resource]:
    component = make("x:y:Cluster", "cluster", custom=False, trainingGpus=8, durationDays=7)
    inputs = {"scalingConfig": {"desiredSize": 1}, "instanceTypes": ["x9.huge"], "diskSize": 0}
    return [component, make("aws:eks/nodeGroup:NodeGroup", "nodes", **inputs)]


def _check(name: str, text: str) -> None:
    path = GOLDEN / name
    if "UPDATE_GOLDEN" in os.environ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n")
    assert text + "\n" == path.read_text()


@pytest.mark.parametrize("name", RECORDED)
def test_the_table_of_a_recorded_stack(name: str, recordings: Path, book: PriceBook) -> None:
    found = estimate(read_text((recordings / name).read_text(), name), book)
    _check(name.replace(".json", ".txt"), as_table(found, f"Cost of {name}"))


@pytest.mark.parametrize(
    ("name", "resources"), [("committed", _committed), ("unbounded", _unbounded), ("unknown", _nothing_known)]
)
def test_the_table_of_a_special_stack(
    name: str, resources: Callable[[Make], list[Resource]], make: Make, cost_of: CostOf
) -> None:
    _check(f"{name}.txt", as_table(cost_of(*resources(make))))


def _amount(line: str) -> Decimal:
    return Decimal(line.rsplit("$", 1)[1].replace(",", ""))


@pytest.mark.parametrize("name", RECORDED)
def test_shown_amounts_add_up_by_hand(name: str, recordings: Path, book: PriceBook) -> None:
    text = as_table(estimate(read_text((recordings / name).read_text(), name), book))
    subtotals: list[Decimal] = []
    rows = Decimal(0)
    for line in text.splitlines():
        if line.startswith("├─"):
            rows += _amount(line)
        elif line.startswith("└─ subtotal"):
            assert _amount(line) == rows
            subtotals.append(rows)
            rows = Decimal(0)
        elif line.startswith("  of which priced"):
            assert _amount(line) == sum(subtotals)
            break
    assert len(subtotals) == 3


@pytest.mark.parametrize("name", RECORDED)
def test_every_price_has_a_mark_with_its_source_and_date(name: str, recordings: Path, book: PriceBook) -> None:
    text = as_table(estimate(read_text((recordings / name).read_text(), name), book))
    used = {mark for line in text.splitlines() if line.startswith("├─") for mark in re.findall(r"\[(\d+)\]", line)}
    block = text[text.index("\nPrices\n") :]
    explained = re.findall(r"^\[(\d+)\] .*?\((?:high|medium|low)\)$", block, flags=re.MULTILINE | re.DOTALL)
    assert sorted(used, key=int) == explained
    assert "ewyluda/gpu-price-index@ab49c80:data/observations/2026/2026-10-10.csv" in block
    assert "2026-10-10" in block


def test_the_training_compute_is_one_row(recordings: Path, book: PriceBook) -> None:
    text = as_table(estimate(read_text((recordings / "plan.json").read_text(), "plan.json"), book))
    (row,) = [line for line in text.splitlines() if "p5.48xlarge" in line and line.startswith("├─")]
    assert re.split(r"\s{2,}", row)[0] == "├─ 5 x p5.48xlarge on demand (train-nodes)"
    assert row.split()[-7:] == ["5", "x", "730", "h", "$55.04", "[1]", "$200,896.00"]


@pytest.mark.parametrize("resources", [_committed, _unbounded])
def test_no_line_is_wider_than_the_table(
    resources: Callable[[Make], list[Resource]], make: Make, cost_of: CostOf
) -> None:
    long: dict[str, Any] = {"notBuilt": ["a thing that was asked for " * 12]}
    text = as_table(cost_of(make("x:y:A", "a", custom=False, **long), *resources(make)))
    assert max(map(len, text.splitlines())) <= WIDEST


def test_an_empty_stack_has_a_table_too(cost_of: CostOf) -> None:
    _check("empty.txt", as_table(cost_of()))


def test_usage_that_is_taken_as_zero_gives_no_part(make: Make, cost_of: CostOf) -> None:
    storage = make("x:y:Storage", "storage", custom=False)
    bucket = make("aws:s3/bucket:Bucket", "data", parent=storage)
    volume = make("aws:ebs/volume:Volume", "disk", type="gp3", size=100)
    lines = as_table(cost_of(storage, bucket, volume)).splitlines()
    assert "storage" not in lines
    assert "stack" in lines
    assert "  1 line depends on usage, assumed to be 0" in lines
    assert "  - S3 standard storage (data): $0.023 per GiB-month in us-east-1 (2025-10-22, medium), by s3_gib" in lines
