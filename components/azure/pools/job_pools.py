"""The node pools of an AKS cluster that jobs can use. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import replace

from gpucluster.components.azure.fabric.fabric import infiniband_pod, mpi_infiniband_pod
from gpucluster.components.azure.planning.elastic import PROVISIONING_CLASS, ElasticPlan
from gpucluster.components.azure.planning.plan import AzureClusterPlan
from gpucluster.components.azure.pools.tolerations import SPOT_TOLERATION
from gpucluster.components.azure.settings import TORSET
from gpucluster.components.cluster.job_pools import elastic_job_pool, mig_job_pool, training_job_pool
from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.planning.names import SCRATCH_PATH
from gpucluster.components.shared.pools.elastic import PoolPlan
from gpucluster.core.catalog.azure import has_infiniband


def job_pools(plan: AzureClusterPlan) -> list[JobPool]:
    """AKS does not label nodes by their position in the fabric, whose scale set is non-blocking: a queue has a topology
    only if other software labels the nodes, because a node without the label gets no jobs.
    """
    shape, elastic, mig = plan.training.shape, plan.elastic, plan.mig
    fabric = has_infiniband(shape.machine_type)
    torsets = fabric and plan.location.settings.torsets
    return [
        replace(
            training_job_pool(plan.training),
            fabric=infiniband_pod(shape) if fabric else None,
            mpi_fabric=mpi_infiniband_pod(shape) if fabric else None,
            # An emptyDir is on the system disk; the local disks are in the node's folder.
            scratch=SCRATCH_PATH if shape.nvme_disks else None,
            topology=(TORSET,) if torsets else (),
            near=TORSET if torsets else None,
        ),
        *([_elastic(elastic, pool) for pool in elastic.pools] if elastic else []),
        *([replace(mig_job_pool(mig), tolerations=[SPOT_TOLERATION] if mig.spot else [])] if mig else []),
    ]


def _elastic(elastic: ElasticPlan, pool: PoolPlan) -> JobPool:
    return replace(
        elastic_job_pool(elastic, pool),
        tolerations=[SPOT_TOLERATION] if "spot" in pool.purchase else [],
        provisioning={"provisioningClassName": PROVISIONING_CLASS} if elastic.engine == "native" else None,
    )
