"""CPU and memory that kubelets reserve, by kind of image."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gpucluster.core.catalog.machines import CpuMachine, Machine, cpu_machines, machines
from gpucluster.core.catalog.mig import Slice, slices_of
from gpucluster.core.catalog.workloads import tolerates
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import plain

EVICTION_MIB: Final = 100
"""Free memory below which a kubelet evicts pods, MiB: 100 on EKS, GKE and AKS.

Sources: awslabs/amazon-eks-ami 81fec2e8, nodeadm/internal/kubelet/config.go; GKE documentation, "Plan GKE Standard node
sizes"; AKS documentation, "Node resource reservations".
"""

# Reserved thousandths of each part of the cores: of the first core, the second, the next two, and the rest.
# Sources: as above, for EKS and GKE.
_CORES: Final = ((1_000, 60), (2_000, 10), (4_000, 5), (None, 2.5))


def in_steps(amount: float, steps: Sequence[tuple[int | None, float]]) -> float:
    """The reserved part of an amount: so many thousandths of each part up to a bound."""
    kept, below = 0.0, 0
    for bound, share in steps:
        part = (amount if bound is None else min(amount, bound)) - below
        if part <= 0:
            break
        kept += part * share / 1_000
        below = bound or 0
    return kept


def steps_of_cores(vcpus: int) -> int:
    """Millicores that EKS and GKE reserve."""
    return int(in_steps(vcpus * 1_000, _CORES))


GPU: Final = "nvidia.com/gpu"
_COMPUTE, _MEMORY = 7, 8
# The MIG manager's layout all-balanced: slices by their shares of compute and memory, and their number.
# Source: NVIDIA/mig-parted v0.14.2, pkg/mig/builder/balanced.go.
_BALANCED: Final = {(1, 1): 2, (2, 2): 1, (3, 4): 1}


def releases(entries: Iterable[Entry], scope: str) -> dict[str, Mapping[str, Any]]:
    """Chart -> values, of the Helm releases in a cluster."""
    found = (plain(entry.inputs) for entry in entries if (entry.type, entry.scope) == (RELEASE, scope))
    return {str(values.get("chart")).rsplit("/", 1)[-1]: mapping(values.get("values")) for values in found}


def objects_of(entries: Iterable[Entry], scope: str, kind: str) -> Iterator[Mapping[str, Any]]:
    """The declared Kubernetes objects of a kind in a cluster."""
    for entry in entries:
        if entry.scope == scope and entry.type.rsplit(":", 1)[-1] == kind:
            yield mapping(plain(entry.inputs))


def comes_to(values: Mapping[str, Any], labels: Mapping[str, str], taints: Sequence[Mapping[str, str]]) -> bool:
    """Whether a DaemonSet schedules pods on nodes with these labels and taints. values: nodeSelector, tolerations."""
    wanted = mapping(values.get("nodeSelector"))
    tolerations = [mapping(item) for item in items(values.get("tolerations"))]
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        any(tolerates(one, taint) for one in tolerations) for taint in taints
    )


def gpu_resources(machine: Machine, slices: Mapping[str, int], strategy: str | None) -> dict[str, str]:
    """Resources of NVIDIA's plugin. slices: of one GPU by size, empty for whole ones. strategy: migStrategy; `none`
    offers the whole GPU even if it is partitioned.
    """
    if not slices or strategy in (None, "none"):
        return {GPU: str(machine.gpus)}
    if strategy == "single":
        return {GPU: str(machine.gpus * sum(slices.values()))}
    return {f"nvidia.com/mig-{size}": str(machine.gpus * count) for size, count in slices.items()}


def layout(name: str, machine: Machine, known: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Slices of one GPU by size, for a layout of the MIG manager. known: layouts of the stack's own."""
    if name in known:
        return dict(known[name])
    kinds = [found for found in slices_of(machine.gpu) if not found.media]
    if name == "all-balanced":
        counted = ((found, _BALANCED.get((found.compute, found.memory), 0)) for found in kinds)
        return {found.size: count for found, count in counted if count}
    return {found.size: most(found) for found in slices_of(machine.gpu) if name == f"all-{found.size}"}


def most(found: Slice) -> int:
    """The maximum number of a slice on a GPU; one with media engines fits once."""
    return 1 if found.media else min(_COMPUTE // found.compute, _MEMORY // found.memory)


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
