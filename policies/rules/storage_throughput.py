"""Shared storage is fast enough for the GPUs that read from it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resources, Unknown
from gpucluster.policies.clouds.file_systems import TYPES, FileSystem, file_systems
from gpucluster.policies.clouds.opaque_pools import opaque_pools
from gpucluster.policies.clouds.pools import cloud_pools
from gpucluster.policies.engine.rule import CannotTell, Finding, Framework, Severity, Stack, StackRule, Violation

_SETTING: Final = "mbPerSecondPerGpu"
_USUAL: Final = 50
"""MB/s, a little less than NVIDIA's `good`: 15 GB/s of reads for a unit of 32 nodes with 8 GPUs."""

_SUPERPOD: Final = Framework(
    name="NVIDIA DGX SuperPOD reference architecture (DGX H100)",
    specification="Guidelines for storage performance",
    reference="https://docs.nvidia.com/dgx-superpod/reference-architecture-scalable-infrastructure-h100/latest/"
    "storage-architecture.html",
)


def check(stack: Stack) -> Iterator[Finding]:
    fast = [found for found in file_systems(stack.resources) if found.mb_per_s is not None]
    gpus = _training_gpus(stack.resources)
    if not fast or gpus == 0:
        return
    if gpus is UNKNOWN:
        yield CannotTell(fast[0].resource, "the number of GPUs that read from it is not known yet")
        return
    known = [found.mb_per_s for found in fast if isinstance(found.mb_per_s, Decimal)]
    needed = Decimal(str(stack.config.get(_SETTING, _USUAL))) * gpus
    if sum(known) >= needed:
        return
    if len(known) < len(fast):
        yield CannotTell(_slowest(fast).resource, "its throughput is not known yet")
    else:
        yield Violation(
            _slowest(fast).resource,
            f"{sum(known):,.0f} MB/s of shared storage for {gpus:,} training GPUs, which need {needed:,.0f} MB/s",
        )


def _slowest(found: list[FileSystem]) -> FileSystem:
    return min(found, key=lambda one: one.mb_per_s if isinstance(one.mb_per_s, Decimal) else Decimal(0))


_OF_A_NODE = 8
"""GPUs of every machine type in a training pool here."""


def _training_gpus(resources: Resources) -> int | Unknown:
    """Their number, including spares; UNKNOWN while a number of nodes is."""
    nodes = [
        machines.nodes
        for cloud in cloud_pools().values()
        for pool in cloud.training_pools(resources)
        for machines in pool
        if machines.surely_on_fabric
    ]
    if any(opaque_pools(resources)):
        return UNKNOWN
    known = [count for count in nodes if isinstance(count, int)]
    return UNKNOWN if len(known) < len(nodes) else sum(known) * _OF_A_NODE


RULE: Final = StackRule(
    name="storage-throughput",
    title="Shared storage is fast enough for the training GPUs",
    why="GPUs that wait for data or for a checkpoint are billed too, and all of them wait at once.",
    fix="Use a tier with more MB/s per TiB, or more capacity; if the data set fits on the local disks of the nodes, "
    f"set {_SETTING} lower.",
    reads=f"{TYPES}; the machines of training pools",
    spec="storage.shared.gb_per_s",
    severity=Severity.MEDIUM,
    order=70,
    frameworks=(_SUPERPOD,),
    check=check,
    config={
        _SETTING: {
            "type": "number",
            "description": f"MB/s that each training GPU needs; default: {_USUAL}",
            "minimum": 0,
        }
    },
)
