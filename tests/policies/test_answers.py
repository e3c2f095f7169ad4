"""Pools are made by cluster or stack, and each place with GPU machines is checked, open, or set aside by a label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.policies.answers import Answer, answers, summary
from gpucluster.policies.engine.rule import Outcome
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.engine.settings import Settings
from gpucluster.policies.rules import elastic_pools_for_single_nodes, gpu_machines_unread, training_pool_in_one_domain
from tests.policies.conftest import TODAY

_NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
_KARPENTER = "kubernetes:karpenter.sh/v1:NodePool"
_RULES = (training_pool_in_one_domain.RULE, elastic_pools_for_single_nodes.RULE, gpu_machines_unread.RULE)


def _resource(type_: str, name: str, inputs: Mapping[str, Any], **more: Any) -> Resource:
    return Resource(urn=f"urn:pulumi:dev::test::{type_}::{name}", type=type_, name=name, inputs=inputs, **more)


def _group(name: str, nodes: int = 1, **inputs: Any) -> Resource:
    sizes = {"desiredSize": nodes, "maxSize": nodes}
    return _resource(_NODE_GROUP, name, {"instanceTypes": ["p5.48xlarge"], "scalingConfig": sizes, **inputs})


def _outcomes(resources: Sequence[Resource], **config: Any) -> tuple[list[Outcome], Resources]:
    stack = Resources(resources)
    settings = Settings(configs={training_pool_in_one_domain.RULE.name: config})
    return evaluate(_RULES, stack, today=TODAY, settings=settings), stack


def _found(*resources: Resource, **config: Any) -> list[str]:
    outcomes, _ = _outcomes(resources, **config)
    return [violation.what for violation in outcomes[0].violations]


def _answers(*resources: Resource) -> list[Answer]:
    return answers(*_outcomes(resources))


def test_machines_of_a_component_each_are_one_pool_of_the_stack() -> None:
    around = [_resource("acme:infra:TrainNode", f"n{at}", {}, custom=False) for at in range(3)]
    made = [
        _resource("aws:ec2/instance:Instance", f"m{at}", {"instanceType": "p5.48xlarge"}, parent=one.urn)
        for at, one in enumerate(around)
    ]
    assert _found(*around, *made) == [
        "3 nodes of p5.48xlarge (`m0`, `m1`, `m2`), no placement group and no reservation"
    ]
    assert {one.pool for one in _answers(*around, *made)} == {made[0].urn}


def test_node_groups_of_one_node_in_one_cluster_are_one_pool_and_of_two_clusters_two() -> None:
    where = "no placement group and no reservation: the group has no launch template"
    assert _found(_group("a", clusterName="one"), _group("b", clusterName="one")) == [
        f"2 nodes of p5.48xlarge (`a`, `b`), {where}"
    ]
    assert _found(_group("a", clusterName="one"), _group("b", clusterName="two")) == []


def test_a_component_of_several_machines_is_a_pool_of_its_own() -> None:
    around = [_resource("acme:infra:Training", f"c{at}", {}, custom=False) for at in range(2)]
    groups = [
        _resource(
            "aws:autoscaling/group:Group",
            f"g{at}",
            {"desiredCapacity": 4, "maxSize": 4, "mixedInstancesPolicy": {"launchTemplate": {"overrides": [
                {"instanceType": "p5.48xlarge"}
            ]}}},
            parent=one.urn,
        )
        for at, one in enumerate(around)
    ]  # fmt: skip
    assert len({one.pool for one in _answers(*around, *groups)}) == 2


def test_a_kueue_flavor_splits_no_single_node_off() -> None:
    flavor = _resource(
        "kubernetes:kueue.x-k8s.io/v1beta1:ResourceFlavor", "f", {"spec": {"nodeLabels": {"acme/n": "1"}}}
    )
    one, other = (_group(name, clusterName="c", labels={"acme/n": name}) for name in ("1", "2"))
    assert len(_found(flavor, one, other)) == 1
    four, more = (_group(name, 4, clusterName="c", labels={"acme/n": name}) for name in ("1", "2"))
    assert len(_found(flavor, four, more)) == 2


def test_the_name_of_a_pool_slices_nothing() -> None:
    assert len(_found(_group("a", 4, labels={"gpucluster/pool": "mig"}))) == 1
    assert _found(_group("a", 4, labels={"gpucluster/pool": "mig", "nvidia.com/mig.config": "all-1g.10gb"})) == []


@pytest.mark.parametrize(
    ("type_", "inputs", "labels"),
    [
        (_NODE_GROUP, {"instanceTypes": ["p5.48xlarge"], "scalingConfig": {"maxSize": 4}}, ("labels",)),
        (
            "gcp:container/nodePool:NodePool",
            {"nodeCount": 4, "nodeLocations": ["us-central1-a"], "nodeConfig": {"machineType": "a3-highgpu-8g"}},
            ("nodeConfig", "labels"),
        ),
        (
            "azure-native:containerservice:AgentPool",
            {"vmSize": "Standard_ND96isr_H100_v5", "count": 4, "type": "VirtualMachines"},
            ("nodeLabels",),
        ),
    ],
)
def test_one_label_sets_single_nodes_aside_on_every_cloud(
    type_: str, inputs: dict[str, Any], labels: tuple[str, ...]
) -> None:
    def pool(**given: str) -> Resource:
        *outer, last = labels
        inner = {**inputs.get(outer[0], {}), last: given} if outer else given
        return _resource(type_, "pool", {**inputs, labels[0]: inner})

    assert _found(pool()) != []
    assert _found(pool(**{"gpucluster/single-node": "true"})) == []
    assert _found(pool(**{"acme/use": "inference"})) != []
    assert _found(pool(**{"acme/use": "inference"}), singleNodeLabels=["acme/use=inference"]) == []
    [answer] = _answers(pool(**{"gpucluster/single-node": "true"}))
    assert (answer.verdict, answer.why) == ("aside", "set aside by gpucluster/single-node: true")


def test_each_place_is_checked_open_or_set_aside() -> None:
    spec = {"template": {"metadata": {"labels": {"gpucluster/pool": "dev"}}, "spec": {"requirements": [
        {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.48xlarge"]}
    ]}}, "limits": {"nvidia.com/gpu": 16}}  # fmt: skip
    bare = {**spec, "template": {**spec["template"], "metadata": {}}}
    own = {"metadata": {"labels": {"gpucluster/single-node": "true"}}, "spec": bare}
    found = _answers(
        _group("train", 4),
        _group("far", 4, clusterName="other", launchTemplate={"id": "lt-1"}),
        _resource(_KARPENTER, "dev", {"spec": spec}),
        _resource(_KARPENTER, "bare", {"spec": bare}),
        _resource(_KARPENTER, "own", own),
        _resource("command:local:Command", "cli", {"create": "aws ec2 run-instances --instance-type p5.48xlarge"}),
    )
    assert [(one.place.resource.name, one.label, one.verdict, one.why) for one in found] == [
        ("train", "4 p5.48xlarge", "checked", ""),
        ("far", "4 p5.48xlarge", "open", "its launch template is not part of this stack"),
        ("dev", "2 p5.48xlarge", "aside", "set aside by gpucluster/pool: dev"),
        ("bare", "2 p5.48xlarge", "open", "no rule reads kubernetes:karpenter.sh/v1:NodePool"),
        ("own", "2 p5.48xlarge", "open", "no rule reads kubernetes:karpenter.sh/v1:NodePool"),
        ("cli", "p5.48xlarge", "open", "no rule reads command:local:Command"),
    ]
    assert summary(found) == ["at least 112 H100 in 6 pools: 1 checked, 1 set aside (gpucluster/pool: dev), 4 not"]


def test_what_user_data_of_a_checked_machine_starts_is_open() -> None:
    data = {"instanceType": "m5.large", "userData": "aws ec2 run-instances --instance-type p5.48xlarge --count 64"}
    [found] = _answers(_resource("aws:ec2/instance:Instance", "starter", data))
    assert (found.label, found.part, found.verdict) == ("64 p5.48xlarge", "userData", "open")


def test_machines_of_a_template_pinned_to_an_older_version_are_open() -> None:
    def found(version: str, latest: int) -> list[str]:
        template = _resource(
            "aws:ec2/launchTemplate:LaunchTemplate",
            "template",
            {"instanceType": "p5.48xlarge", "placement": {"groupName": "g"}},
            outputs={"id": "lt-1", "latestVersion": latest},
        )
        sizes = {"scalingConfig": {"maxSize": 4}, "launchTemplate": {"id": "lt-1", "version": version}}
        group = _resource(_NODE_GROUP, "train", sizes, dependencies={"launchTemplate": (template.urn,)})
        outcomes, _ = _outcomes([template, group])
        return [question.what for question in outcomes[0].unknown]

    elsewhere = "placement group `g` is not part of this stack: its strategy is unknown"
    assert found("2", 2) == found("$Latest", 2) == [elsewhere]
    assert found("1", 2) == ["its launch template is pinned to version 1, and changed since"]


def test_a_reservation_of_the_stack_outside_of_a_group_is_no_proof() -> None:
    def found(**reserved: Any) -> list[str]:
        reservation = _resource("aws:ec2/capacityReservation:CapacityReservation", "odcr", reserved)
        target = {"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
        template = _resource(
            "aws:ec2/launchTemplate:LaunchTemplate",
            "template",
            {"instanceType": "p5.48xlarge", "capacityReservationSpecification": target},
            dependencies={"capacityReservationSpecification": (reservation.urn,)},
        )
        group = _resource(
            _NODE_GROUP,
            "train",
            {"scalingConfig": {"maxSize": 4}, "launchTemplate": {"id": "lt-1"}},
            dependencies={"launchTemplate": (template.urn,)},
        )
        outcomes, _ = _outcomes([reservation, template, group])
        return [question.what for question in outcomes[0].unknown]

    assert found() == ["reservation `odcr` is declared without a placement group"]
    assert found(placementGroupArn="arn:aws:ec2:us-east-1:1:placement-group/g") == []
