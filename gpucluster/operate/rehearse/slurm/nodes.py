"""The Slurm cluster of a stack, by its spec: nothing has to be built for it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from gpucluster.components.kubernetes.slurm.nodes import slurm_cluster
from gpucluster.components.stack.stack_config import read_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.core.slurm import SlurmCluster
from gpucluster.cost.pricing import plan_prices
from gpucluster.errors import InputError


def cluster_of(stack: str, folder: Path) -> SlurmCluster:
    """The nodes and partitions of a stack's Slurm. folder: of the project.

    Raises InputError if the spec has mistakes, or no pool of Slurm.
    """
    plan: Any = plan_stack(read_stack(stack, folder), plan_prices)
    if not plan.slurm_pools:
        raise InputError(
            f"the cluster of {stack} runs no Slurm: set jobs.scheduler to slurm in its spec, or give a file with "
            "Kubernetes objects"
        )
    cloud = plan.training.shape.cloud
    pools = importlib.import_module(f"gpucluster.components.{cloud}.pools.job_pools").job_pools(plan)
    return slurm_cluster([pool for pool in pools if pool.name in plan.slurm_pools])
