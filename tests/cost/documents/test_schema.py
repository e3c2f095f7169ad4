"""The published schema of the report."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.groups import groups_json
from gpucluster.cost.documents.report.model import as_json
from gpucluster.cost.documents.schema import report_schema
from gpucluster.cost.grouping import group_by
from gpucluster.program.readers.files import read_text
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]
SCHEMA = report_schema()


def _errors(document: Mapping[str, Any]) -> list[str]:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    return [error.json_path for error in validator.iter_errors(json.loads(json.dumps(document)))]


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", ["plan.json", "state.json", "update.json"])
def test_the_report_of_a_recorded_stack_is_valid_grouped_or_not(name: str, recordings: Path, book: PriceBook) -> None:
    resources = read_text((recordings / name).read_text(), name)
    found = estimate(resources, book)
    assert _errors(as_json(found)) == []
    assert _errors(as_json(found) | {"group_by": [groups_json(group_by(found, resources, "team"))]}) == []


def test_reports_of_nothing_and_of_everything_unusual_are_valid(make: Make, cost_of: CostOf) -> None:
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
                    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]}]  # fmt: skip
    pool = make(
        "kubernetes:karpenter.sh/v1:NodePool", "pool", metadata={"annotations": {"gpucluster/expected-gpus": 1}},
        spec={"template": {"spec": {"nodeClassRef": {"name": "c"}, "requirements": requirements}}},
    )  # fmt: skip
    machines = make("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", metadata={"name": "c"})
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    held = make("aws:ec2/instance:Instance", "held", instanceType="p5.48xlarge",
                capacityReservationSpecification=target)  # fmt: skip
    cluster = make("x:y:Cluster", "cluster", custom=False, trainingGpus=8, durationDays=7, notBuilt=["MIG"],
                   budget={"monthly": "1", "onExceed": "fail"},
                   slices={"sliced": {"1g.10gb": {"count": 7, "eighths": 1}}})  # fmt: skip
    part = make("x:y:Mig", "sliced", custom=False, parent=cluster)
    sliced = make("aws:ec2/instance:Instance", "seven", parent=part, instanceType="p5.4xlarge")
    unusual = cost_of(cluster, part, sliced, pool, machines, held, make("aws:rds/instance:Instance", "database"))
    assert unusual.monthly.ceiling == "unbounded"
    assert as_json(unusual)["per_slice_hour"] == {"sliced": {"1g.10gb": "0.98"}}
    assert (_errors(as_json(cost_of())), _errors(as_json(unusual))) == ([], [])


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"monthly": {"floor": 1.5, "expected": "2", "ceiling": "3"}}, "$.monthly.floor"),
        ({"currency": "EUR"}, "$.currency"),
        ({"total": "3"}, "$"),
    ],
)
def test_what_the_report_never_says_is_refused(change: dict[str, Any], path: str, cost_of: CostOf) -> None:
    assert _errors(as_json(cost_of()) | change) == [path]


def test_every_field_of_the_report_is_required(cost_of: CostOf) -> None:
    assert set(SCHEMA["required"]) == set(as_json(cost_of()))
