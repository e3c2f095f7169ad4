"""Clusters of each cloud as they stand in a ledger, with no more than their nodes are made from."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE
from gpucluster.sandbox.clouds.store.ledger import Entry

SCOPE = "https://cluster.sandbox.invalid"


def entry(type_: str, id_: str, outputs: dict[str, Any] | None = None, **more: Any) -> Entry:
    """A resource of the ledger; its name is the last part of its id."""
    given: dict[str, Any] = {"provider": type_.partition(":")[0], "scope": "here", "urn": f"urn:{id_}", "inputs": {}}
    return Entry(type=type_, id=id_, name=id_.rpartition("/")[2], outputs=outputs or {}, **{**given, **more})


def chart(name: str, **values: Any) -> Entry:
    """A Helm release in the cluster."""
    inputs = {"chart": f"oci://charts/{name}", "values": values}
    return entry(RELEASE, name, scope=SCOPE, provider="kubernetes", inputs=inputs)


def managed(kind: str, name: str, **given: Any) -> Entry:
    """A Kubernetes object in the cluster."""
    inputs = {"metadata": {"name": name}, **given}
    return entry(f"kubernetes:group/v1:{kind}", name, scope=SCOPE, provider="kubernetes", inputs=inputs)


@pytest.fixture
def eks() -> Entry:
    return entry("aws:eks/cluster:Cluster", "one", {"endpoint": SCOPE})


@pytest.fixture
def group() -> Callable[..., list[Entry]]:
    """A node group with its launch template and subnet."""

    def make(machine_type: str, size: int, *, user_data: str = "", efa: int = 0, taint: bool = True) -> list[Entry]:
        taints = [{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}] if taint else []
        template = {
            "instanceType": machine_type,
            "userData": base64.b64encode(user_data.encode()).decode(),
            "blockDeviceMappings": [{"ebs": {"volumeSize": 500}}],
            "networkInterfaces": [{"interfaceType": "interface"}, *({"interfaceType": "efa-only"} for _ in range(efa))],
        }
        made = {
            "clusterName": "one",
            "nodeGroupName": "gpus",
            "region": "us-east-1",
            "capacityType": "ON_DEMAND",
            "launchTemplate": {"id": "lt-1", "version": "3"},
            "scalingConfig": {"desiredSize": size},
            "labels": {"pool": "training"},
            "taints": taints,
            "subnetIds": ["subnet-1"],
            "version": "1.35",
        }
        subnet = {"cidrBlock": "10.0.0.0/24", "availabilityZone": "us-east-1a", "availabilityZoneId": "use1-az1"}
        return [
            entry("aws:ec2/launchTemplate:LaunchTemplate", "lt-1", template),
            entry("aws:ec2/subnet:Subnet", "subnet-1", subnet),
            entry("aws:eks/nodeGroup:NodeGroup", "one:gpus", made),
        ]

    return make


@pytest.fixture
def gke() -> Entry:
    return entry("gcp:container/cluster:Cluster", "projects/p/locations/r/clusters/one", {"endpoint": SCOPE[8:]})


@pytest.fixture
def node_pool(gke: Entry) -> Callable[..., Entry]:
    def make(machine_type: str, size: int, *, zones: int = 1, **more: Any) -> Entry:
        outputs = {
            "project": "p",
            "location": "r",
            "nodeLocations": [f"r-{letter}" for letter in "abc"[:zones]],
            "nodeCount": size,
            "maxPodsPerNode": 32,
            "version": "1.35.2-gke.1",
            "instanceGroupUrls": ["https://compute/zones/r-a/instanceGroupManagers/gke-one-gpus-0123abcd-grp"],
            "nodeConfig": {"machineType": machine_type, "diskType": "pd-balanced", **more.pop("config", {})},
            **more,
        }
        return entry("gcp:container/nodePool:NodePool", f"{gke.id}/nodePools/gpus", outputs)

    return make


@pytest.fixture
def aks() -> Entry:
    outputs = {
        "fqdn": SCOPE[8:].removesuffix(":443"),
        "location": "eastus",
        "nodeResourceGroup": "one-nodes",
        "agentPoolProfiles": [
            {"name": "system", "vmSize": "Standard_D8ds_v5", "count": 1, "mode": "System", "maxPods": 250}
        ],
    }
    id_ = "/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/one"
    return entry("azure-native:containerservice:ManagedCluster", id_, outputs)


@pytest.fixture
def agent_pool(aks: Entry) -> Callable[..., Entry]:
    def make(vm_size: str, count: int, **more: Any) -> Entry:
        outputs = {
            "vmSize": vm_size,
            "count": count,
            "mode": "User",
            "maxPods": 250,
            "osDiskSizeGB": 1000,
            "availabilityZones": ["1"],
            "nodeTaints": ["nvidia.com/gpu=true:NoSchedule"],
            "currentOrchestratorVersion": "1.35.0",
            **more,
        }
        return entry("azure-native:containerservice:AgentPool", f"{aks.id}/agentPools/gpus", outputs)

    return make
