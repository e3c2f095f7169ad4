"""The pools of an AKS cluster as jobs see them. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.catalog.azure_sizes import has_infiniband
from gpucluster.components.azure.elastic import PROVISIONING_CLASS, ElasticPlan
from gpucluster.components.azure.fabric import infiniband_pod, mpi_infiniband_pod
from gpucluster.components.azure.mig import MigPlan
from gpucluster.components.azure.plan import AzureClusterPlan
from gpucluster.components.azure.settings import TORSET
from gpucluster.components.azure.tolerations import SPOT_TOLERATION
from gpucluster.components.elastic import PoolPlan
from gpucluster.components.kubernetes.job_pool import JobPool, kept
from gpucluster.components.names import GPU, MIG_POOL, SCRATCH_PATH, TRAINING_POOL

__all__ = ["job_pools"]


def job_pools(plan: AzureClusterPlan) -> list[JobPool]:
    """AKS labels no node by its place in the fabric, whose scale set is non-blocking: a queue knows a topology only
    where somebody else labels the nodes, for one without its label takes no job.
    """
    training, shape = plan.training, plan.training.shape
    fabric = has_infiniband(shape.machine_type)
    torsets = fabric and plan.location.settings.torsets
    pools = [
        JobPool(
            name=TRAINING_POOL,
            shape=shape,
            nodes=training.nodes,
            gpus={GPU: training.nodes * shape.gpus},
            ask={GPU: shape.gpus},
            fabric=infiniband_pod(shape) if fabric else None,
            mpi_fabric=mpi_infiniband_pod(shape) if fabric else None,
            # An emptyDir is on the system disk: the local disks are the node's folder.
            scratch=SCRATCH_PATH if shape.nvme_disks else None,
            topology=(TORSET,) if torsets else (),
            near=TORSET if torsets else None,
        )
    ]
    if plan.elastic is not None:
        pools += [_elastic(plan.elastic, pool) for pool in plan.elastic.pools]
    if plan.mig is not None:
        pools.append(_mig(plan.mig))
    return pools


def _elastic(elastic: ElasticPlan, pool: PoolPlan) -> JobPool:
    return JobPool(
        name=pool.name,
        shape=elastic.shape,
        nodes=elastic.nodes(pool),
        gpus={GPU: pool.max_gpus},
        ask={GPU: 1},
        elastic=True,
        tolerations=[SPOT_TOLERATION] if "spot" in pool.purchase else [],
        annotations=kept(pool.purchase),
        provisioning=PROVISIONING_CLASS if elastic.engine == "native" else None,
    )


def _mig(mig: MigPlan) -> JobPool:
    """Where slices are of several sizes, a job gets one of the first kind unless it asks for another."""
    return JobPool(
        name=MIG_POOL,
        shape=mig.shape,
        nodes=mig.nodes,
        gpus=mig.pool.resources,
        ask={next(iter(mig.pool.resources)): 1},
        tolerations=[SPOT_TOLERATION] if mig.spot else [],
    )
