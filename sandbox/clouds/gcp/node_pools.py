"""The properties of a node pool for the rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.gcp.identity import is_zone
from gpucluster.sandbox.clouds.gcp.machines import Machine, machine
from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.type_guards import items, mapping

CLUSTER: Final = "gcp:container/cluster:Cluster"
NODE_POOL: Final = "gcp:container/nodePool:NodePool"


class Pool:
    """The inputs of a node pool by the names of the API."""

    def __init__(self, managed: ManagedResource) -> None:
        self.managed = managed
        self.config = mapping(managed.inputs.get("nodeConfig"))
        self.placement = mapping(managed.inputs.get("placementPolicy"))
        self.affinity = mapping(self.config.get("reservationAffinity"))
        self.accelerators = [mapping(item) for item in items(self.config.get("guestAccelerators"))]

    @property
    def machine_type(self) -> str:
        """e2-medium by default (Kubernetes Engine API, NodeConfig.machineType)."""
        return str(self.config.get("machineType") or "e2-medium")

    @property
    def machine(self) -> Machine | None:
        """Its machine type, None for one without accelerators."""
        return machine(self.machine_type)

    @property
    def cluster(self) -> Entry | None:
        """Its cluster."""
        return self.managed.at(CLUSTER, self.managed.id.rsplit("/nodePools/", 1)[0])

    @property
    def zones(self) -> list[str]:
        """The zones of its nodes: its own, else the cluster's."""
        named = items(self.managed.inputs.get("nodeLocations"))
        if named or is_zone(self.managed.location):
            return [str(zone) for zone in named] or [self.managed.location]
        around = self.cluster
        return items(around.outputs.get("nodeLocations")) if around is not None else []

    @property
    def networks(self) -> list[Mapping[str, Any]]:
        """The networks it adds to the cluster's own, in order."""
        config = mapping(self.managed.inputs.get("networkConfig"))
        return [mapping(item) for item in items(config.get("additionalNodeNetworkConfigs"))]

    @property
    def network_profile(self) -> Any:
        """The accelerator network profile, for which GKE creates the networks itself."""
        return mapping(self.managed.inputs.get("networkConfig")).get("acceleratorNetworkProfile")

    @property
    def partition(self) -> str:
        """The MIG size, empty for whole GPUs."""
        return next((str(item["gpuPartitionSize"]) for item in self.accelerators if item.get("gpuPartitionSize")), "")

    @property
    def is_compact(self) -> bool:
        """Whether its nodes are placed close together."""
        return self.placement.get("type") == "COMPACT"

    @property
    def is_spot(self) -> bool:
        """Whether its machines can be preempted."""
        return self.config.get("spot") is True or self.config.get("preemptible") is True

    @property
    def is_flex_start(self) -> bool:
        """Whether the Dynamic Workload Scheduler provides its machines one by one."""
        return self.config.get("flexStart") is True

    @property
    def is_queued(self) -> bool:
        """Whether the Dynamic Workload Scheduler provides its machines all at once."""
        return mapping(self.managed.inputs.get("queuedProvisioning")).get("enabled") is True

    @property
    def reservation(self) -> str:
        """The first value of `reservationAffinity`, empty if it has none."""
        return next((str(value) for value in items(self.affinity.get("values"))), "")

    @property
    def takes_reservations(self) -> bool:
        """Whether it uses reserved machines."""
        return self.affinity.get("consumeReservationType") not in (None, "", "NO_RESERVATION")
