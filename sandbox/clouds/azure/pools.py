"""The properties of a node pool for the rules, whether it is a separate resource or inline in its cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.sandbox.clouds.azure.model import ManagedResource
from gpucluster.sandbox.clouds.azure.sizes import is_rdma
from gpucluster.sandbox.type_guards import items, mapping

CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
AGENT_POOL: Final = "azure-native:containerservice:AgentPool"
SNAPSHOT: Final = "azure-native:containerservice:Snapshot"


@dataclass(frozen=True)
class Pool:
    """A node pool as requested.

    cluster: the inputs of its cluster.
    """

    managed: ManagedResource
    given: Mapping[str, Any]
    cluster: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Its name."""
        return str(self.given.get("name") or self.managed.name)

    @property
    def size(self) -> str:
        """The size of its machines."""
        return str(self.given.get("vmSize") or "")

    @property
    def has_fabric(self) -> bool:
        """Whether its machines have InfiniBand."""
        return is_rdma(self.size)

    @property
    def is_system(self) -> bool:
        """Whether it runs the system pods of the cluster."""
        return self.given.get("mode") == "System"

    @property
    def is_spot(self) -> bool:
        """Whether its machines can be preempted."""
        return self.given.get("scaleSetPriority") == "Spot"

    @property
    def scales(self) -> bool:
        """Whether the cluster autoscaler sets its size."""
        return self.given.get("enableAutoScaling") is True

    @property
    def zones(self) -> list[str]:
        """The zones it is spread over."""
        return [str(zone) for zone in items(self.given.get("availabilityZones"))]


def pools_of(managed: ManagedResource) -> Iterator[Pool]:
    """The pool of a resource, or the inline pools of a cluster."""
    if managed.token == CLUSTER:
        for given in own_profiles(managed, managed.inputs):
            yield Pool(managed, given, managed.inputs)
    else:
        around = managed.at(CLUSTER, managed.parent)
        yield Pool(managed, managed.inputs, around.inputs if around is not None else {})


def own_profiles(managed: ManagedResource, values: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The pools in a cluster's inputs or outputs, except those that are separate resources."""
    apart = {entry.name for entry in managed.under(AGENT_POOL, managed.id)}
    profiles = (mapping(profile) for profile in items(values.get("agentPoolProfiles")))
    return [profile for profile in profiles if profile.get("name") not in apart]
