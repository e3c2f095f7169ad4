"""Devices that device plugins report to the kubelet: only if the stack has installed one that runs on the node."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from gpucluster.catalog.machines import Machine
from gpucluster.catalog.mig import Slice, slices_of
from gpucluster.catalog.workloads import tolerates
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.clouds.values import plain
from gpucluster.sandbox.type_guards import items, mapping

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
