"""The component's resources, whole, as the program registers them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pulumi.runtime.mocks import MockResourceArgs

Register = Callable[..., dict[str, MockResourceArgs]]

GOLDEN = Path(__file__).with_name("trial_resources.json")


@pytest.fixture(scope="module")
def seen(register: Register) -> dict[str, MockResourceArgs]:
    """The trial cluster's registrations by name."""
    return register()


def test_the_trial_registers_exactly_these_resources_with_these_inputs(seen: dict[str, MockResourceArgs]) -> None:
    """Golden: `UPDATE_GOLDEN=1 pytest` writes it anew; the diff is what reviewers read."""
    found = [
        {"type": args.typ, "name": name, "inputs": args.inputs}
        for name, args in sorted(seen.items(), key=lambda item: item[0])
    ]
    text = json.dumps(found, indent=1, sort_keys=True) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(text)
    assert json.loads(text) == json.loads(GOLDEN.read_text())


def test_every_tagged_resource_carries_the_labels_its_name_its_project_and_its_stack(
    seen: dict[str, MockResourceArgs],
) -> None:
    tagged = {name: args.inputs["tags"] for name, args in seen.items() if "tags" in args.inputs}
    assert len(tagged) > 40
    wanted = {"team", "project", "cost-center", "environment", "owner", "pulumi-project", "pulumi-stack", "managed-by"}
    assert {name: tags["Name"] for name, tags in tagged.items()} == {name: name for name in tagged}
    assert {name: wanted - set(tags) for name, tags in tagged.items()} == {name: set() for name in tagged}


def test_the_fabric_group_is_open_to_itself_both_ways(seen: dict[str, MockResourceArgs]) -> None:
    own = "trial-training-efa-id"
    for name in ("trial-training-efa-in", "trial-training-efa-out"):
        inputs = seen[name].inputs
        assert (inputs["securityGroupId"], inputs["referencedSecurityGroupId"], inputs["ipProtocol"]) == (
            own,
            own,
            "-1",
        )


def test_every_interface_of_a_training_node_is_in_the_clusters_and_the_fabrics_group(
    seen: dict[str, MockResourceArgs],
) -> None:
    interfaces = seen["trial-training-template"].inputs["networkInterfaces"]
    assert len(interfaces) == 33
    assert {tuple(item["securityGroups"]) for item in interfaces} == {("sg-cluster", "trial-training-efa-id")}


def test_a_reservation_is_targeted_without_a_group(register: Register) -> None:
    seen = register(placement={"kind": "reservation", "id": "cr-0123"})
    template = seen["trial-training-template"].inputs
    assert "trial-training-group" not in seen
    assert "placement" not in template
    assert template["capacityReservationSpecification"] == {
        "capacityReservationTarget": {"capacityReservationId": "cr-0123"}
    }


def test_a_reservation_made_inside_a_group_is_launched_in_it(register: Register) -> None:
    seen = register(placement={"kind": "reservation", "id": "cr-0123", "group": "pg"})
    assert seen["trial-training-template"].inputs["placement"] == {"groupName": "pg"}


def test_a_capacity_block_is_a_market_of_its_own(register: Register) -> None:
    seen = register(purchase={"kind": "capacity-block"}, placement={"kind": "reservation", "id": "cr-0123"})
    template, nodes = seen["trial-training-template"].inputs, seen["trial-training-nodes"].inputs
    assert template["instanceMarketOptions"] == {"marketType": "capacity-block"}
    assert nodes["capacityType"] == "CAPACITY_BLOCK"


def test_without_an_elastic_pool_there_is_no_karpenter(register: Register) -> None:
    assert [name for name in register(elastic=None) if "karpenter" in name or "elastic" in name] == []


def test_more_nodes_are_the_same_resources(register: Register) -> None:
    few = {(args.typ, name) for name, args in register().items()}
    many = {(args.typ, name) for name, args in register(training={"nodes": 400, "spares": 20}).items()}
    assert many == few


def test_a_private_cluster_answers_inside_only(register: Register) -> None:
    config = register(access={"kind": "private", "via": "inside"})["trial-control-plane-cluster"].inputs["vpcConfig"]
    assert (config["endpointPublicAccess"], config.get("publicAccessCidrs")) == (False, None)


def test_karpenter_hears_of_interruptions_and_holds_each_of_its_policies(seen: dict[str, MockResourceArgs]) -> None:
    values = seen["trial-elastic-karpenter"].inputs["values"]
    assert values["settings"]["interruptionQueue"] == "trial-elastic-interruption-queue"
    role = "trial-elastic-karpenter-role"
    attached = {
        args.inputs["policyArn"]
        for args in seen.values()
        if args.typ == "aws:iam/rolePolicyAttachment:RolePolicyAttachment" and args.inputs["role"] == role
    }
    suffixes = ("node-lifecycle", "iam-integration", "eks-integration", "interruption", "resource-discovery")
    assert attached == {f"arn:aws:mock:us-east-1:000000000000:{role}-{suffix}" for suffix in suffixes}
