"""A project of the simulated Google Cloud, and things to try rules on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from gpucluster.sandbox.clouds.gcp.cloud import GcpAccount, Settings
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger

ZONE = "us-central1-a"
ACCELERATORS = {
    "a3-highgpu-1g": ("nvidia-h100-80gb", 1, 2),
    "a3-highgpu-8g": ("nvidia-h100-80gb", 8, 16),
    "a3-megagpu-8g": ("nvidia-h100-mega-80gb", 8, 16),
    "a3-ultragpu-8g": ("nvidia-h200-141gb", 8, 32),
}


@pytest.fixture
def account(ledger: Ledger) -> GcpAccount:
    """The provider of the project `p` in us-central1."""
    return GcpAccount(ledger, Settings(project="p", region="us-central1"))


@pytest.fixture
def create(account: GcpAccount, create_in_gcp: Callable[..., Entry]) -> Callable[..., Entry]:
    """Creates a resource in the project as the engine would, and returns what the ledger then has."""
    return partial(create_in_gcp, account)


class Stage:
    """A cluster with what a node pool needs around it."""

    def __init__(self, create: Callable[..., Entry], *, mtu: int = 8244, **cluster: Any) -> None:
        self.create = create
        self.vpc = create("compute/network:Network", "vpc", autoCreateSubnetworks=False, mtu=mtu)
        ranges = [{"rangeName": "pods", "ipCidrRange": "10.64.0.0/14"}]
        ranges.append({"rangeName": "services", "ipCidrRange": "10.1.0.0/20"})
        self.nodes = self.subnetwork("nodes", self.vpc, "10.0.0.0/18", secondaryIpRanges=ranges)
        given = {
            "network": self.vpc.id,
            "subnetwork": self.nodes.id,
            "initialNodeCount": 1,
            "deletionProtection": False,
            "enableMultiNetworking": True,
            "datapathProvider": "ADVANCED_DATAPATH",
            **cluster,
        }
        self.cluster = create("container/cluster:Cluster", "c", name="c", location="us-central1", **given)

    def subnetwork(self, name: str, network: Entry, block: str, **inputs: Any) -> Entry:
        """A subnetwork in us-central1."""
        return self.create("compute/subnetwork:Subnetwork", name, network=network.id, ipCidrRange=block, **inputs)

    def pool(
        self,
        machine: str = "a3-megagpu-8g",
        *,
        name: str = "pool",
        config: dict[str, Any] | None = None,
        **inputs: Any,
    ) -> Entry:
        """A node pool of these machines in one zone, two nodes unless it scales."""
        type_, gpus, ssds = ACCELERATORS[machine]
        node_config = {
            "machineType": machine,
            "guestAccelerators": [{"type": type_, "count": gpus}],
            "ephemeralStorageLocalSsdConfig": {"localSsdCount": ssds},
            **(config or {}),
        }
        values = {
            "cluster": self.cluster.id,
            "nodeLocations": [ZONE],
            "nodeCount": None if "autoscaling" in inputs else 2,
            "nodeConfig": node_config,
            **inputs,
        }
        return self.create(
            "container/nodePool:NodePool", name, **{key: it for key, it in values.items() if it is not None}
        )


@pytest.fixture
def make_stage(create: Callable[..., Entry]) -> Callable[..., Stage]:
    """Makes a stage: `make_stage(mtu=1460, enableMultiNetworking=False)`."""
    return partial(Stage, create)


@pytest.fixture
def stage(create: Callable[..., Entry]) -> Stage:
    """A regional cluster with multi-networking in a VPC with large frames."""
    return Stage(create)
