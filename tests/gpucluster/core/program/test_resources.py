"""The view of resources that all sources share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, urn_name

Make = Callable[..., Resource]


def test_an_unknown_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match="compare with `is UNKNOWN`"):
        bool(UNKNOWN)


def test_parents_are_nearest_first(make: Make) -> None:
    outer = make("x:y:Outer", "outer", custom=False)
    inner = make("x:y:Inner", "inner", custom=False, parent=outer)
    leaf = make("aws:kms/key:Key", "leaf", parent=inner)
    assert [item.name for item in Resources([outer, inner, leaf]).parents(leaf)] == ["inner", "outer"]


def test_the_stack_is_no_component_around_a_resource(make: Make) -> None:
    stack = make("pulumi:pulumi:Stack", "stack", custom=False)
    outer = make("x:y:Outer", "outer", custom=False, parent=stack)
    within = make("aws:kms/key:Key", "within", parent=outer)
    below = make("aws:kms/alias:Alias", "below", parent=within)
    alone = make("aws:kms/key:Key", "alone", parent=stack)
    found = Resources([stack, outer, within, below, alone])
    assert [found.component_of(one) for one in (within, below, alone, stack)] == [outer, outer, None, None]


def test_resources_are_found_by_type_and_by_reference(make: Make) -> None:
    template = make("aws:ec2/launchTemplate:LaunchTemplate", "template")
    role = make("aws:iam/role:Role", "role")
    group = make("aws:eks/nodeGroup:NodeGroup", "group", dependencies={"launchTemplate": template, "nodeRoleArn": role})
    found = Resources([template, role, group])
    assert found.of_type(role.type) == [role]
    assert found.of_type("aws:none/none:None") == []
    assert found.referred(group, "launchTemplate", template.type) == template
    assert found.referred(group, "launchTemplate", role.type) is None
    assert found.referred(group, "other", role.type) is None
    elsewhere = make(role.type, "elsewhere")
    assert found.present([role.urn, elsewhere.urn, template.urn, role.urn]) == [role, template]


def test_objects_of_two_clusters_with_one_name_stay_apart(make: Make) -> None:
    type_ = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
    east, west = (make("pulumi:providers:kubernetes", name) for name in ("east", "west"))
    here = make(type_, "a", provider=east, metadata={"name": "gpu"})
    there = make(type_, "b", provider=west, metadata={"name": "gpu"})
    odd = [make(type_, "c", metadata=UNKNOWN), make(type_, "d", metadata={"name": UNKNOWN}), make(type_, "e")]
    found = Resources([here, there, *odd])
    assert found.objects_named(type_, "gpu", provider=east.urn) == [here]
    assert found.objects_named(type_, "gpu", provider=west.urn) == [there]
    assert found.objects_named(type_, "gpu", provider=None) == []


@pytest.mark.parametrize(
    ("own", "of_provider", "region"),
    [("us-west-2", "us-east-2", "us-west-2"), (None, "us-east-2", "us-east-2"), (None, UNKNOWN, UNKNOWN)],
)
def test_a_region_is_the_resources_own_then_its_providers(
    make: Make, own: str | None, of_provider: object, region: object
) -> None:
    provider = make("pulumi:providers:aws", "p", region=of_provider)
    key = make("aws:kms/key:Key", provider=provider, **({} if own is None else {"region": own}))
    assert Resources([provider, key], default_regions={"aws": "us-east-1"}).region(key) == region


def test_a_component_of_another_language_hides_its_parts_unless_one_is_here(make: Make) -> None:
    remote: dict[str, Any] = {"custom": False, "remote": True}
    hides = make("eks:index:Cluster", "hides", **remote)
    around = make("acme:infra:Around", "around", custom=False)
    inner = make("eks:index:ManagedNodeGroup", "inner", parent=around, **remote)
    shows = make("eks:index:Cluster", "shows", **remote)
    part = make("aws:eks/cluster:Cluster", "part", parent=shows)
    ours = make("gpucluster:aws:Network", "ours", **remote)
    # What the program puts into a component is none of its parts.
    own = replace(make("aws:kms/key:Key", "own", parent=hides), source_position="__main__.py#7")
    found = Resources([hides, around, inner, shows, part, ours, own])
    assert [one.name for one in found if found.hides_parts(one)] == ["hides", "inner"]


@pytest.mark.parametrize("name", ["net", "net::of::two", "a:b"])
def test_a_name_may_have_the_separator_in_it(name: str) -> None:
    assert urn_name(f"urn:pulumi:dev::small::my:own:Part$aws:ec2/vpc:Vpc::{name}") == name


@pytest.mark.parametrize("value", ["vpc-1", ["x", {"id": "vpc-1"}], {"a": "arn:vpc-1"}])
def test_an_id_of_a_state_refers_to_its_resource(make: Make, value: Any) -> None:
    vpc = make("aws:ec2/vpc:Vpc", "v", outputs={"id": "vpc-1", "arn": "arn:vpc-1"})
    other = make("aws:ec2/vpc:Vpc", "o", outputs={"id": "vpc-2"})
    subnet = make("aws:ec2/subnet:Subnet", "s", vpcId=value)
    assert Resources([other, vpc, subnet]).referred(subnet, "vpcId", vpc.type) == vpc
    assert Resources([other, subnet]).referred(subnet, "vpcId", vpc.type) is None


def test_a_dependency_goes_before_an_id(make: Make) -> None:
    named, meant = (make("aws:ec2/vpc:Vpc", name, outputs={"id": name}) for name in ("named", "meant"))
    subnet = make("aws:ec2/subnet:Subnet", "s", vpcId="named", dependencies={"vpcId": meant})
    assert Resources([named, meant, subnet]).referred(subnet, "vpcId", named.type) == meant


def test_changed_resources_keep_their_regions_and_identity(make: Make) -> None:
    vpc = make("aws:ec2/vpc:Vpc", "v", cidrBlock="x")
    found = Resources([vpc], default_regions={"aws": "us-east-1"}).changed(lambda one: one.with_inputs({}, "a:b:C"))
    changed = found.get(vpc.urn)
    assert changed is not None
    assert (changed.inputs, changed.type, changed.name) == ({}, "a:b:C", "v")
    assert found.region(vpc) == "us-east-1"
