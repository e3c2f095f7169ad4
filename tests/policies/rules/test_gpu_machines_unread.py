"""gpu-machines-unread: what starts machines, and what only has to do with them."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.rules import disks_encrypted, gpu_machines_unread, label_values
from tests.policies.conftest import TODAY
from tests.says import Says


def _told(program, *rules):
    outcomes = evaluate([*rules, gpu_machines_unread.RULE], program.stack().resources, today=program.today)
    [told] = [outcome for outcome in outcomes if outcome.rule is gpu_machines_unread.RULE]
    return [(violation.resource.name, violation.what) for violation in told.violations]


def test_what_leads_to_a_machine_that_is_read_starts_none(program):
    program.add("aws:ec2/instance:Instance", "gpu", {"instanceType": "g5.xlarge"})
    program.add("aws:ec2/eip:Eip", "address", {"instance": program.unknown}, instance=["gpu"])
    program.add("aws:route53/record:Record", "record", {"records": program.unknown}, records=["gpu"])
    assert _told(program, disks_encrypted.RULE) == []


def test_what_starts_machines_from_a_template_is_told_with_each_rule_once(program):
    program.add("aws:ec2/launchTemplate:LaunchTemplate", "gpu", {"instanceType": "g5.xlarge"})
    program.add("aws:batch/computeEnvironment:ComputeEnvironment", "batch", {"a": program.unknown}, a=["gpu"])
    [(name, what)] = _told(program, disks_encrypted.RULE, label_values.RULE)
    assert (name, what.endswith("which these rules do not read: disks-encrypted")) == ("batch", True)


def test_a_tag_that_names_a_machine_starts_none(program):
    program.add("aws:batch/jobQueue:JobQueue", "queue", {"tags": {"instance_type": "p5.48xlarge"}})
    assert _told(program, disks_encrypted.RULE) == []


MACHINES = {"instanceTypes": ["p5.48xlarge"], "scalingConfig": {"desiredSize": 8}}


def _resource(type_: str, name: str, inputs: dict[str, Any], **more: Any) -> Resource:
    return Resource(urn=f"urn:pulumi:dev::test::{type_}::{name}", type=type_, name=name, inputs=inputs, **more)


def _component(type_: str, name: str, inputs: dict[str, Any], *, remote: bool = True) -> Resource:
    return _resource(type_, name, inputs, custom=False, remote=remote)


def _found(*resources: Resource) -> list[tuple[str, str]]:
    outcomes = evaluate([disks_encrypted.RULE, gpu_machines_unread.RULE], Resources(resources), today=TODAY)
    return [(violation.resource.name, violation.what) for violation in outcomes[-1].violations]


@pytest.mark.parametrize(
    ("type_", "inputs"),
    [
        ("eks:index:ManagedNodeGroup", MACHINES),
        ("eks:index:NodeGroupV2", {"instanceType": "p5.48xlarge"}),
        ("eks:index:Cluster", {"instanceType": "p5.48xlarge", "desiredCapacity": 8}),
        ("eks:index:Cluster", {"nodeGroupOptions": {"instanceType": "p5.48xlarge"}}),
    ],
)
def test_a_component_of_another_language_without_parts_is_told(type_: str, inputs: dict[str, Any]) -> None:
    [(name, what)] = _found(_component(type_, "gpus", inputs))
    assert (name, what) == ("gpus", Says("p5.48xlarge", type_, "disks-encrypted"))


def test_a_component_is_told_unless_its_own_parts_name_its_machines() -> None:
    one, other = (_component("eks:index:ManagedNodeGroup", name, MACHINES) for name in ("one", "other"))
    made = _resource("aws:eks/nodeGroup:NodeGroup", "made", {"instanceTypes": ["p5.48xlarge"]}, parent=one.urn)
    assert _found(one, made) == []
    assert [name for name, _ in _found(one, other, made)] == ["other"]


@pytest.mark.parametrize(("type_", "remote"), [("gpucluster:aws:TrainingPool", True), ("acme:infra:Nodes", False)])
def test_a_component_of_ours_or_of_the_program_is_read_by_its_parts(type_: str, remote: bool) -> None:
    assert _found(_component(type_, "gpus", MACHINES, remote=remote)) == []
