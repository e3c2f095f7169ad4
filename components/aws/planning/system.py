"""Number and machine type of the CPU nodes for system software. Imports no Pulumi."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.components.aws.planning.quotas import STANDARD
from gpucluster.components.planning.planning import Planning

# Karpenter's two replicas need two hosts. GoogleCloudPlatform/cluster-toolkit has a system pool of 2 to 10; one node
# for this many GPU nodes is the maximum growth of a cluster on Google Cloud.
_LEAST: Final = 2
_MOST: Final = 10
_GPU_NODES: Final = 32


@dataclass(frozen=True, kw_only=True)
class SystemPlan:
    """CPU nodes for CoreDNS, whose replicas EKS scales with the cluster, Karpenter and operators. vcpus: of each.

    Source of the vCPUs: Amazon EC2 instance types guide, gp (m7i).
    """

    machine_type: str = "m7i.xlarge"
    vcpus: int = 4
    nodes: int = _LEAST
    root_gib: int = 100


def plan_system(gpu_nodes: int, planning: Planning[Any]) -> SystemPlan:
    """gpu_nodes: maximum of the whole cluster."""
    plan = SystemPlan(nodes=min(max(math.ceil(gpu_nodes / _GPU_NODES), _LEAST), _MOST))
    planning.quotas[STANDARD] += plan.nodes * plan.vcpus
    return plan
