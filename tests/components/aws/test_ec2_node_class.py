"""Karpenter's rules for an EC2NodeClass, before a cluster exists to apply them."""

from __future__ import annotations

from typing import Any

import pulumi
import pytest

from gpucluster.components.aws.ec2_node_class import EC2NodeClass
from gpucluster.components.aws.interfaces import plan_interfaces
from gpucluster.components.kubernetes.objects import check
from gpucluster.components.plan import PlanError
from gpucluster.components.shapes import shapes

SPEC: dict[str, Any] = {
    "role": "node",
    "subnetSelectorTerms": [{"id": "subnet-1"}],
    "securityGroupSelectorTerms": [{"id": "sg-1"}],
    "amiSelectorTerms": [{"alias": "al2023@v20260714"}],
}


def problems(**changes: object) -> list[str]:
    spec = {key: value for key, value in {**SPEC, **changes}.items() if value is not None}
    try:
        check(EC2NodeClass, spec, "EC2NodeClass e", at="spec")
    except PlanError as error:
        return [line.removeprefix("EC2NodeClass e: spec") for line in map(str, error.problems)]
    return []


def interface(card: int, device: int, kind: str) -> dict[str, Any]:
    return {"networkCardIndex": card, "deviceIndex": device, "interfaceType": kind}


@pytest.mark.parametrize(
    "changes",
    [
        {"role": None, "instanceProfile": "p"},
        {"placementGroupSelector": {"name": "training"}},
        {"placementGroupSelector": {"id": "pg-0abc"}},
        {"amiSelectorTerms": [{"name": "ours", "owner": "self"}], "amiFamily": "AL2023"},
        {"amiFamily": "Custom"},
        {"securityGroupSelectorTerms": [{"tags": {"a": "b"}}, {"name": "n"}]},
        {"capacityReservationSelectorTerms": [{"id": "cr-0abc"}]},
        {"networkInterfaces": [interface(0, 0, "interface"), interface(0, 1, "efa-only"), interface(1, 0, "efa-only")]},
        {"blockDeviceMappings": [{"rootVolume": True, "ebs": {"volumeSize": "200Gi", "volumeType": "gp3"}}]},
        {"tags": {"Name": "node", "team": "ml"}},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_karpenter_takes_is_taken(changes: dict[str, object]) -> None:
    assert problems(**changes) == []


@pytest.mark.parametrize("shape", [shape for shape in shapes() if shape.fabric == "EFA"], ids=lambda s: s.machine_type)
def test_the_planned_interfaces_of_every_machine_are_taken(shape: Any) -> None:
    found = plan_interfaces(shape)
    assert problems(networkInterfaces=[interface(item.card, item.device, item.kind) for item in found]) == []


def test_what_another_resource_gives_is_checked_when_it_is_known() -> None:
    later = pulumi.Output.from_input("given later")
    assert problems(role=later, subnetSelectorTerms=[{"id": later}], tags={"a": later}) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"instanceProfile": "p"},
            " has role and instanceProfile; allowed: exactly one of them; remove one",
        ),
        ({"role": None}, " has neither role nor instanceProfile; allowed: exactly one of them; add role"),
        ({"role": ""}, ".role is ''; allowed: text that is not empty; change it"),
        (
            {"placementGroupSelector": {"name": "a", "id": "pg-1"}},
            ".placementGroupSelector has name and id; allowed: exactly one of them; remove one",
        ),
        (
            {"placementGroupSelector": {}},
            ".placementGroupSelector has neither name nor id; allowed: exactly one of them; add one",
        ),
        (
            {"subnetSelectorTerms": [{"id": "subnet-1", "tags": {"a": "b"}}]},
            ".subnetSelectorTerms[0] has id and tags; allowed: id alone; remove one",
        ),
        (
            {"securityGroupSelectorTerms": [{}]},
            ".securityGroupSelectorTerms[0] names nothing to find; allowed: one of id, tags, name; add it",
        ),
        (
            {"securityGroupSelectorTerms": [{"id": "sg_1"}]},
            ".securityGroupSelectorTerms[0].id is 'sg_1'; allowed: an id sg-...; change it, as in sg-0abc",
        ),
        ({"subnetSelectorTerms": []}, ".subnetSelectorTerms is a list; allowed: 1 to 30 terms; change it"),
        (
            {"networkInterfaces": [interface(0, 0, "efa")]},
            ".networkInterfaces[0].interfaceType is 'efa'; allowed: interface, efa-only; write one of these",
        ),
        (
            {"networkInterfaces": [interface(0, 0, "efa-only")]},
            ".networkInterfaces lacks the primary interface; allowed: card 0, device 0 of type interface among them; "
            "add or change it",
        ),
        (
            {"networkInterfaces": [interface(0, 0, "interface"), interface(0, 0, "interface")]},
            ".networkInterfaces has card 0, device 0 twice; allowed: once; remove one",
        ),
        (
            {
                "networkInterfaces": [
                    interface(0, 0, "interface"),
                    interface(1, 0, "efa-only"),
                    interface(1, 1, "efa-only"),
                ]
            },
            ".networkInterfaces has 2 efa-only on card 1; allowed: one on each card; remove the rest",
        ),
        (
            {"blockDeviceMappings": [{"ebs": {"volumeSize": "200GB"}}]},
            ".blockDeviceMappings[0].ebs.volumeSize is '200GB'; allowed: a size in Gi, G, Ti or T; "
            "change it, as in 200Gi",
        ),
        (
            {"blockDeviceMappings": [{"rootVolume": True}, {"rootVolume": True}]},
            ".blockDeviceMappings has 2 with rootVolume; allowed: one; set the others to false",
        ),
        ({"instanceStorePolicy": "RAID1"}, ".instanceStorePolicy is 'RAID1'; allowed: RAID0; write RAID0"),
        (
            {"amiFamily": "AL2"},
            " has amiFamily 'AL2' and the alias 'al2023@v20260714'; allowed: AL2023, Custom or none; remove amiFamily",
        ),
        (
            {"amiSelectorTerms": [{"alias": "ubuntu@22"}]},
            ".amiSelectorTerms[0].alias is 'ubuntu@22'; allowed: a family (al2, al2023, bottlerocket), @ and a "
            "release; "
            "change it, as in al2023@v20260714",
        ),
        (
            {"amiSelectorTerms": [{"id": "ami-1"}]},
            " has no alias and no amiFamily; allowed: one of them; add amiFamily",
        ),
        (
            {"tags": {"karpenter.sh/nodepool": "p"}},
            ".tags has 'karpenter.sh/nodepool'; allowed: keys Karpenter does not set; remove them",
        ),
        ({"subnetIds": []}, None),
    ],
    ids=str,
)
def test_a_wrong_field_is_one_line_with_value_choice_and_change(
    changes: dict[str, object], expected: str | None
) -> None:
    found = problems(**changes)
    if expected is None:
        assert len(found) == 1
        assert found[0].startswith(".subnetIds is not a field; allowed: amiFamily, ")
    else:
        assert found == [expected]
