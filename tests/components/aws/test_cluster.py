"""How the resources of a cluster follow its spec."""

from __future__ import annotations

from collections.abc import Callable

from pulumi.runtime.mocks import MockResourceArgs

Register = Callable[..., dict[str, MockResourceArgs]]


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
