"""Limits of the number of CPU nodes for system software. Imports no Pulumi."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

# In three zones, so that DNS, Karpenter and operators survive the loss of one.
_NODES: Final = 3
# GKE adds nodes when pods do not fit: one for this many GPU nodes, for software that GKE scales by nodes, such as
# kube-dns and konnectivity. GoogleCloudPlatform/cluster-toolkit lets a system pool grow from 2 to 10.
_GPU_NODES: Final = 32
_MOST_OF_A_SMALL_CLUSTER: Final = 6


@dataclass(frozen=True, kw_only=True)
class SystemPlan:
    """CPU nodes for DNS, Karpenter and operators: one in each of three zones, up to `most` if they need more."""

    most: int
    nodes: int = _NODES
    machine_type: str = "e2-standard-4"
    # Source: Compute Engine documentation, "General-purpose machine family", E2 standard.
    vcpus: int = 4
    memory_gib: int = 16
    root_gib: int = 100


def plan_system(gpu_nodes: int) -> SystemPlan:
    """gpu_nodes: maximum of the whole cluster."""
    return SystemPlan(most=max(_MOST_OF_A_SMALL_CLUSTER, _NODES + math.ceil(gpu_nodes / _GPU_NODES)))
