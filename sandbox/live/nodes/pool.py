"""Identical machines of a cloud, as the plan of their Node objects."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from gpucluster.catalog.cpu_machines import CpuMachine, cpu_machines
from gpucluster.catalog.machines import Machine, machines

LEAVES: Final = 2
"""Leaf switches of a pool's machines, assigned in turn, so that nearness matters."""


def digits(*what: object, length: int) -> str:
    """Hexadecimal digits that are always the same for the same machine."""
    return hashlib.sha256("/".join(map(str, what)).encode()).hexdigest()[:length]


def machine_of(machine_type: str) -> Machine | CpuMachine | None:
    """A machine type of the catalog; Azure and EC2 have only one spelling. None for one that is not in it."""
    return machines().get(machine_type) or cpu_machines().get(machine_type)


@dataclass(frozen=True, kw_only=True)
class Reserve:
    """The part of a machine that pods cannot use. unseen: share of its memory invisible to its kernel. millicores,
    memory: reserved by the kubelet, memory in MiB including the threshold below which it evicts pods.
    """

    unseen: float
    millicores: int
    memory: int


@dataclass(frozen=True, kw_only=True)
class Host:
    """One machine in its cloud's terms. provider_id: in the Node's spec. address: within the cluster's network. labels:
    only of this machine.
    """

    name: str
    provider_id: str
    address: str
    labels: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, kw_only=True)
class Pool:
    """key: unique among the pools of its cluster. size: its current machines. machine: None if the catalog has no row
    for machine_type. zones: its machines alternate between them. labels, taints: of every node, in Kubernetes' terms.
    pods: the maximum of one node. disk_gib: the kubelet's disk for images, logs and emptyDir. devices: resources of
    device plugins, in addition to CPUs and memory. version: of the kubelet. host: the machine of an ordinal. scaled: by
    its cloud's own autoscaler.
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
        """The zone of one machine."""
        return self.zones[ordinal % len(self.zones)]
