"""External addresses of machines on Google Cloud: who has one and pays for it, and who is behind Cloud NAT instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

POOL = "gcp:container/nodePool:NodePool"
CLUSTER = "gcp:container/cluster:Cluster"
INSTANCE = "gcp:compute/instance:Instance"
NAT = "gcp:compute/routerNat:RouterNat"
ZONE = "us-central1-a"
OPEN = [{"accessConfigs": [{}]}]
ADDRESSES = "External IPv4 addresses"


def _monthly(found: Estimate, name: str) -> list[str]:
    return [f"{line.monthly}" for line in found.lines if line.name == name]


@pytest.mark.parametrize(
    ("cluster", "pool", "addresses"),
    [
        ({}, {}, ["7.30"]),
        ({"privateClusterConfig": {"enablePrivateNodes": True}}, {}, []),
        ({"privateClusterConfig": {"enablePrivateNodes": True}}, {"enablePrivateNodes": False}, ["7.30"]),
        ({}, {"enablePrivateNodes": True}, []),
    ],
)
def test_nodes_have_one_unless_the_pool_or_else_the_cluster_keeps_them_private(
    cluster: dict[str, Any], pool: dict[str, Any], addresses: list[str], make: Make, cost_of: CostOf
) -> None:
    around = make(CLUSTER, "c", location=ZONE, removeDefaultNodePool=True, **cluster)
    nodes = make(POOL, "p", location=ZONE, nodeCount=2, networkConfig=pool, dependencies={"cluster": around})
    assert _monthly(cost_of(around, nodes), ADDRESSES) == addresses


def test_a_pool_of_a_cluster_elsewhere_depends_on_usage(make: Make, cost_of: CostOf) -> None:
    nodes = make(POOL, "p", location=ZONE, nodeCount=2)
    assert [line.usage for line in cost_of(nodes).lines if line.by_usage] == [("public_ipv4_addresses",)]
    usage = Assumptions().with_values({"public_ipv4_addresses": "1"})
    assert _monthly(cost_of(nodes, assumptions=usage), ADDRESSES) == ["7.30"]


def test_addresses_of_spot_nodes_are_named_because_their_price_is_another(make: Make, cost_of: CostOf) -> None:
    around = make(CLUSTER, "c", location=ZONE, removeDefaultNodePool=True)
    nodes = make(POOL, "p", location=ZONE, nodeCount=2, dependencies={"cluster": around},
                 nodeConfig={"machineType": "e2-medium", "spot": True})  # fmt: skip
    assert "external addresses of Spot nodes: the price book has those of other machines only" in [
        item.reason for item in cost_of(around, nodes).not_priced
    ]


def test_a_gateway_bills_the_machines_of_its_region_that_have_no_address(make: Make, cost_of: CostOf) -> None:
    disk = {"initializeParams": {"size": 10, "type": "pd-balanced"}}
    inputs: dict[str, Any] = {"machineType": "e2-medium", "bootDisk": disk, "zone": ZONE}
    template = make("gcp:compute/instanceTemplate:InstanceTemplate", "t", machineType="e2-medium")
    machines = [
        make(INSTANCE, "behind", networkInterfaces=[{}], **inputs),
        make(INSTANCE, "open", networkInterfaces=OPEN, **inputs),
        make(INSTANCE, "far", networkInterfaces=[{}], **{**inputs, "zone": "us-east4-a"}),
        make(POOL, "nodes", location=ZONE, nodeCount=2, networkConfig={"enablePrivateNodes": True}),
        make(POOL, "public", location=ZONE, nodeCount=2, networkConfig={"enablePrivateNodes": False}),
        template,
        make("gcp:compute/instanceGroupManager:InstanceGroupManager", "group", zone=ZONE, targetSize=3,
             dependencies={"versions": template}),
    ]  # fmt: skip
    found = cost_of(*machines, make(NAT, "nat", region="us-central1"))
    (line,) = [line for line in found.lines if line.name == "Cloud NAT gateway"]
    assert line.basis == "6 x 730 h"
