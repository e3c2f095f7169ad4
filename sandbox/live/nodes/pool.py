"""Machines that a cloud starts alike, as the plan of their Node objects."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gpucluster.catalog.cpu_machines import CpuMachine, cpu_machines
from gpucluster.catalog.machines import Machine, machines

LEAVES: Final = 2
"""Leaf switches that the machines of a pool are spread over, one after the other, so that nearness matters."""


def digits(*what: object, length: int) -> str:
    """Hexadecimal digits that are the same for the same machine each time."""
    return hashlib.sha256("/".join(map(str, what)).encode()).hexdigest()[:length]


def machine_of(machine_type: str) -> Machine | CpuMachine | None:
    """A machine type of the catalog; Azure and EC2 write it in one way alone. None for one that is not there."""
    return machines().get(machine_type) or cpu_machines().get(machine_type)


@dataclass(frozen=True, kw_only=True)
class Reserve:
    """What of a machine is not for pods. unseen: share of its memory that its kernel does not see. millicores, memory:
    what the kubelet keeps for the node, memory in MiB with the threshold below which it evicts pods.
    """

    unseen: float
    millicores: int
    memory: int


@dataclass(frozen=True, kw_only=True)
class Host:
    """One machine as its cloud names it. provider_id: in the Node's spec. address: within the cluster's network.
    labels: of it alone.
    """

    name: str
    provider_id: str
    address: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, kw_only=True)
class Pool:
    """key: tells it from every other pool of its cluster. size: machines it has now. machine: None where the catalog
    has no row for machine_type. zones: each machine is in one of them, in turn. labels, taints: of every node, in the
    words of Kubernetes. pods: the most of one node. disk_gib: what the kubelet has for images, logs and emptyDir.
    devices: what device plugins add to CPUs and memory. version: of the kubelet. host: the machine of an ordinal.
    scaled: by its cloud's own autoscaler.
    """

    key: str
    machine_type: str
    size: int
    zones: Sequence[str]
    labels: Mapping[str, str]
    taints: Sequence[Mapping[str, str]]
    pods: int
    disk_gib: int
    devices: Mapping[str, str]
    reserve: Reserve
    version: str
    host: Callable[[int], Host]
    scaled: bool = False

    @property
    def machine(self) -> Machine | CpuMachine | None:
        return machine_of(self.machine_type)

    def zone(self, ordinal: int) -> str:
        """Of one machine."""
        return self.zones[ordinal % len(self.zones)]
