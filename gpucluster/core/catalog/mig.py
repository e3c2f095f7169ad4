"""MIG slices of each GPU, and the services that create them: `mig.csv`.

Columns: gpu; size, the name of the slice; compute and memory, its shares of 7 and 8; media: with its own media
engines; gke: whether GKE partitions a GPU into as many of it as fit; aks: AKS's name for that. GKE's partitioner also
supports 4g.40gb of an H100, but its device plugin refuses it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from gpucluster.core.catalog.machines import machines
from gpucluster.core.catalog.tables import rows


@dataclass(frozen=True, kw_only=True)
class Slice:
    """One row."""

    gpu: str
    size: str
    compute: int
    memory: int
    media: bool
    gke: bool
    aks: str


@functools.cache
def slices() -> tuple[Slice, ...]:
    """Every row: by GPU, small slices first."""
    return tuple(
        Slice(
            gpu=row["gpu"],
            size=row["size"],
            compute=int(row["compute"]),
            memory=int(row["memory"]),
            media=row["media"] == "yes",
            gke=row["gke"] == "yes",
            aks=row["aks"],
        )
        for row in rows("mig")
    )


def slices_of(gpu: str) -> tuple[Slice, ...]:
    """The slices of a GPU."""
    return tuple(found for found in slices() if found.gpu == gpu)


def layouts(gpu: str) -> tuple[str, ...]:
    """Layouts of NVIDIA's MIG manager for a GPU, values of the node label nvidia.com/mig.config; empty for one
    without slices."""
    sizes = [f"all-{found.size}" for found in slices_of(gpu)]
    return ("all-disabled", "all-enabled", "all-balanced", *sizes) if sizes else ()


def gke_sizes(gke_gpu: str) -> tuple[str, ...]:
    """Slices that GKE creates on GPUs of its type, values of gpu_partition_size; empty for a type it does not slice."""
    gpus = {machine.gpu for machine in machines().values() if gke_gpu and machine.gke_gpu == gke_gpu}
    return tuple(found.size for found in slices() if found.gke and found.gpu in gpus)


def aks_profiles() -> tuple[str, ...]:
    """Values of gpuInstanceProfile that AKS accepts."""
    return tuple(dict.fromkeys(found.aks for found in slices() if found.aks))
