"""The estimate as a whole: sums, parts, coverage, and that nothing makes it fail."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.documents.formats import written
from gpucluster.core.program.facts import Budget
from gpucluster.core.program.readers.files import read_text
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.documents.report.report_json import report_json
from gpucluster.cost.estimate.budgets import budget_verdict
from gpucluster.cost.handlers import registry

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]
CENT = Decimal("0.01")


@pytest.fixture(params=["plan.json", "state.json", "update.json"])
def recorded(request: pytest.FixtureRequest, recordings: Path) -> Resources:
    name: str = request.param
    return read_text((recordings / name).read_text(), name)


def test_lines_sum_to_parts_and_parts_to_the_total(recorded: Resources, book: PriceBook) -> None:
    found = estimate(recorded, book)
    for line in found.lines:
        assert line.monthly == (line.quantity * line.unit_price).quantize(CENT, ROUND_HALF_UP)
        assert line.monthly_floor <= line.monthly
        assert isinstance(line.monthly_ceiling, str) or line.monthly <= line.monthly_ceiling
    for part in found.parts:
        assert part.monthly.expected == sum(line.monthly for line in part.lines)
    assert found.monthly.expected == sum(part.monthly.expected for part in found.parts)
    assert found.monthly.floor == sum(part.monthly.floor for part in found.parts)
    assert found.monthly.ceiling == sum(Decimal(part.monthly.ceiling) for part in found.parts)
    assert sum(found.by_confidence.values()) == found.monthly.expected


def test_every_resource_has_exactly_one_outcome(recorded: Resources, book: PriceBook) -> None:
    found = estimate(recorded, book)
    counted = [item for item in recorded if item.custom and not item.type.startswith("pulumi:")]
    assert found.coverage.resources == len(counted) == 18
    named = {line.urn for line in found.lines} | {item.urn for item in (*found.free, *found.not_priced)}
    assert named == {item.urn for item in counted}


def test_the_training_nodes_of_the_recorded_plan_are_one_line(recordings: Path, book: PriceBook) -> None:
    found = estimate(read_text((recordings / "plan.json").read_text(), "plan.json"), book)
    compute = [line for line in found.lines if line.name == "5 x p5.48xlarge on demand"]
    assert [(line.part, line.monthly) for line in compute] == [("train", Decimal("200896.00"))]


def test_parts_are_the_nearest_components(make: Make, cost_of: CostOf) -> None:
    stack = make("pulumi:pulumi:Stack", "test-dev", custom=False)
    outer = make("x:y:Outer", "outer", custom=False, parent=stack, trainingGpus=8, outsideTraining=["inner"])
    inner = make("x:y:Inner", "inner", custom=False, parent=outer)
    deep = make("x:y:Deep", "deep", custom=False, parent=inner)
    key = "aws:kms/key:Key"
    found = cost_of(
        stack, outer, inner, deep,
        make(key, "a", parent=stack), make(key, "b", parent=outer), make(key, "c", parent=inner),
        make(key, "d", parent=deep), make(key, "e"),
    )  # fmt: skip
    assert [(part.name, part.training, part.monthly.expected) for part in found.parts] == [
        ("stack", True, Decimal("2.00")),
        ("deep", False, Decimal("1.00")),
        ("inner", False, Decimal("1.00")),
        ("outer", True, Decimal("1.00")),
    ]
    assert found.training_monthly == Decimal("3.00")


def test_money_per_hour_and_per_training_gpu_hour(make: Make, cost_of: CostOf) -> None:
    facts = {"trainingGpus": 32, "outsideTraining": ["elastic"], "durationDays": 14}
    cluster = make("x:y:Cluster", "cluster", custom=False, **facts)
    elastic = make("x:y:Elastic", "elastic", custom=False, parent=cluster)
    reserved = {"instanceType": "p5.48xlarge", "instanceCount": 5}
    single = {"instanceType": "p5.4xlarge", "instanceCount": 1}
    type_ = "aws:ec2/capacityReservation:CapacityReservation"
    found = cost_of(
        cluster, elastic, make(type_, "five", parent=cluster, **reserved), make(type_, "one", parent=elastic, **single)
    )
    assert found.monthly.expected == Decimal("205918.40")
    assert found.hourly.expected == Decimal("282.08")  # 5 x 55.04 + 6.88
    assert found.per_training_gpu_hour == Decimal("8.60")  # 5 x 55.04 / 32
    assert found.trial_total == Decimal("94778.88")  # 282.08 x 24 x 14


def test_money_per_slice_hour_is_shared_by_memory_and_known_where_all_is_priced(make: Make, cost_of: CostOf) -> None:
    slices = {
        "alike": {"1g.10gb": {"count": 56, "eighths": 1}},
        "mixed": {"1g.10gb": {"count": 16, "eighths": 1}, "3g.40gb": {"count": 8, "eighths": 4}},
        "dark": {"1g.10gb": {"count": 7, "eighths": 1}},
        "none": {"1g.10gb": {"count": 7, "eighths": 1}},
    }
    cluster = make("x:y:Cluster", "cluster", custom=False, slices=slices)
    pools = {name: make("x:y:Mig", name, custom=False, parent=cluster) for name in ("alike", "mixed", "dark")}
    type_ = "aws:ec2/capacityReservation:CapacityReservation"
    machines = [
        make(type_, f"{name}-nodes", parent=pool, instanceType=kind, instanceCount=8)
        for (name, pool), kind in zip(pools.items(), ("p5.4xlarge", "p5.4xlarge", "x9.huge"), strict=True)
    ]
    found = cost_of(cluster, *pools.values(), *machines)
    assert found.per_slice_hour == {
        "alike": {"1g.10gb": Decimal("0.98")},  # 8 x 6.88 / 56
        "mixed": {"1g.10gb": Decimal("1.15"), "3g.40gb": Decimal("4.59")},  # 8 x 6.88 / (16 + 8 x 4), four times that
    }


def test_without_facts_there_is_no_denominator(make: Make, cost_of: CostOf) -> None:
    found = cost_of(make("aws:kms/key:Key"))
    assert (found.per_training_gpu_hour, found.trial_total, found.facts.budget) == (None, None, None)


def test_an_empty_stack_costs_nothing(cost_of: CostOf) -> None:
    found = cost_of()
    assert (found.monthly.expected, found.complete, found.coverage.resources) == (Decimal(0), True, 0)


def test_a_failing_handler_is_named_and_hides_nothing_else(
    make: Make, cost_of: CostOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> Iterator[Any]:
        raise ZeroDivisionError("of course")
        yield

    monkeypatch.setitem(registry._HANDLERS, "aws:kms/key:Key", broken)
    found = cost_of(make("aws:kms/key:Key", "key"), make("aws:ec2/eip:Eip", "address"))
    assert [item.reason for item in found.not_priced] == ["handler failed: ZeroDivisionError: of course"]
    assert found.monthly.expected == Decimal("3.65")


ODD: list[Any] = [UNKNOWN, None, "", "text", -1, 0, 3.7, True, float("nan"), float("inf"), [], {}, [UNKNOWN],
                  {"a": UNKNOWN}, [[]], 10**30]  # fmt: skip


def others_to_spoil(make: Make) -> list[Resource]:
    """Resources of the types that the recorded plan lacks."""
    target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
    return [
        make(
            "aws:ec2/instance:Instance",
            "machine",
            instanceType="m6i.large",
            tenancy="default",
            rootBlockDevice={"volumeSize": 30, "volumeType": "gp3", "iops": 4000},
            ebsBlockDevices=[{"volumeSize": 50}],
            instanceMarketOptions={"marketType": "spot"},
            capacityReservationSpecification=target,
        ),
        make(
            "aws:ec2/capacityReservation:CapacityReservation",
            "reserved",
            instanceType="p5.48xlarge",
            instanceCount=5,
            instancePlatform="Linux/UNIX",
        ),
        make("aws:ec2/capacityBlockReservation:CapacityBlockReservation", "block", capacityBlockOfferingId="cbo-1"),
        make("aws:s3/bucket:Bucket", "bucket", bucket="data"),
        make("kubernetes:core/v1:Service", "service", spec={"type": "ClusterIP"}),
        make("kubernetes:core/v1:PersistentVolumeClaim", "claim", spec={"storageClassName": "", "volumeName": "v"}),
        make("kubernetes:networking.k8s.io/v1:Ingress", "ingress", spec={}),
        make("aws:eks/addon:Addon", "addon", addonName="coredns"),
        make("kubernetes:helm.sh/v3:Release", "chart", chart="kueue"),
        make(
            "kubernetes:apps/v1:StatefulSet",
            "set",
            spec={
                "volumeClaimTemplates": [{"metadata": {"name": "data"}}],
                "template": {"spec": {"volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": {}}}]}},
            },
        ),
    ]


def _with(inputs: Any, odd: Any) -> Iterator[Any]:
    """The inputs with each place in them replaced by something odd, one at a time."""
    yield odd
    if isinstance(inputs, dict):
        for key in inputs:
            for changed in _with(inputs[key], odd):
                yield {**inputs, key: changed}
    elif isinstance(inputs, list):
        for index in range(len(inputs)):
            for changed in _with(inputs[index], odd):
                yield [*inputs[:index], changed, *inputs[index + 1 :]]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_odd_values_anywhere_are_named_and_never_crash_a_handler(
    odd: Any, recordings: Path, book: PriceBook, make: Make
) -> None:
    plan = [*read_text((recordings / "plan.json").read_text(), "plan.json"), *others_to_spoil(make)]
    for resource in plan:
        for inputs in _with(dict(resource.inputs), odd):
            if not isinstance(inputs, dict):
                continue
            changed = replace(resource, inputs=inputs)
            others = [item for item in plan if item.urn != resource.urn]
            found = estimate(Resources([*others, changed], default_regions={"aws": "us-east-1"}), book)
            assert [item.reason for item in found.not_priced if "handler failed" in item.reason] == [], inputs
            assert written(report_document(found), "table")
            assert json.dumps(report_json(found).model_dump())


def test_a_resource_without_inputs_is_named_and_never_crashes_a_handler(make: Make, cost_of: CostOf) -> None:
    found = {type_: cost_of(make(type_)) for type_ in registry.priced_types()}
    assert [type_ for type_, one in found.items() if one.coverage.resources != 1] == []
    failed = {type_: [item.reason for item in one.not_priced if "handler failed" in item.reason]
              for type_, one in found.items()}  # fmt: skip
    assert failed == {type_: [] for type_ in found}


def test_the_recorded_plan_summed_by_a_second_hand(recordings: Path, book: PriceBook) -> None:
    """An independent sum over the plan's own JSON, with prices typed in from the clouds' pages."""
    steps = json.loads((recordings / "plan.json").read_text())["steps"]
    inputs = {step["urn"].split("::")[-1]: step["newState"].get("inputs", {}) for step in steps}
    hours = Decimal(730)
    nodes = Decimal(inputs["train-nodes"]["scalingConfig"]["desiredSize"])
    disk = inputs["train-template"]["blockDeviceMappings"][0]["ebs"]
    expected_gpus = Decimal(inputs["elastic-pool"]["metadata"]["annotations"]["gpucluster/expected-gpus"])
    total = (
        nodes * hours * Decimal("55.04")
        + nodes * disk["volumeSize"] * Decimal("0.08")
        + nodes * (disk["iops"] - 3000) * Decimal("0.005")
        + expected_gpus * hours * Decimal("6.88")
        + expected_gpus * 200 * Decimal("0.08")
        + hours * Decimal("0.10")
        + hours * Decimal("0.045")
        + hours * Decimal("0.005")
        + hours * Decimal("0.01")
        + inputs["shared"]["storageCapacity"] * Decimal("0.145")
        + inputs["far"]["size"] * Decimal("0.08")
        + 1
    )
    found = estimate(read_text((recordings / "plan.json").read_text(), "plan.json"), book)
    assert found.monthly.expected == total.quantize(CENT) == Decimal("215201.60")


def test_the_order_of_the_resources_changes_nothing(recorded: Resources, book: PriceBook) -> None:
    there = report_json(estimate(Resources(recorded, default_regions={"aws": "us-east-1"}), book)).model_dump()
    back = report_json(
        estimate(Resources(reversed(list(recorded)), default_regions={"aws": "us-east-1"}), book)
    ).model_dump()
    there["assumptions"], back["assumptions"] = sorted(there["assumptions"]), sorted(back["assumptions"])
    assert there == back


def test_what_a_component_of_another_language_or_a_command_makes_is_unknown_never_zero(
    make: Make, cost_of: CostOf
) -> None:
    nodes = make("eks:index:ManagedNodeGroup", "nodes", custom=False, remote=True)
    shell = make("command:local:Command", "shell", create="aws ec2 run-instances")
    found = cost_of(nodes, shell)
    assert {(item.urn, "neither priced nor checked" in item.reason) for item in found.not_priced} == {
        (nodes.urn, True),
        (shell.urn, True),
    }
    assert (found.complete, found.coverage.not_priced) == (False, 2)
    assert budget_verdict(found, Budget(Decimal(1000))).outcome == "cannot tell"
