"""The pools of an EKS cluster as jobs see them. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.aws.fabric import NETWORK_LABELS, efa_pod, mpi_efa_pod
from gpucluster.components.aws.plan import AwsClusterPlan
from gpucluster.components.kubernetes.job_pool import JobPool, kept
from gpucluster.components.names import GPU, MIG_POOL, TRAINING_POOL


def job_pools(plan: AwsClusterPlan) -> list[JobPool]:
    """/scratch is an emptyDir in all of them: it lies on the RAID0 of the local disks, under the kubelet."""
    training, registry = plan.training, plan.access.registry
    shape = training.shape
    pools = [
        JobPool(
            name=TRAINING_POOL,
            shape=shape,
            nodes=training.nodes,
            gpus={GPU: training.nodes * shape.gpus},
            ask={GPU: shape.gpus},
            fabric=efa_pod(shape, registry),
            mpi_fabric=mpi_efa_pod(shape),
            topology=NETWORK_LABELS,
            near=NETWORK_LABELS[-1],
        )
    ]
    if plan.elastic is not None:
        elastic = plan.elastic
        pools += [
            JobPool(
                name=pool.name,
                shape=elastic.shape,
                nodes=pool.max_gpus // elastic.shape.gpus,
                gpus={GPU: pool.max_gpus},
                ask={GPU: 1},
                elastic=True,
                annotations=kept(pool.purchase),
            )
            for pool in elastic.pools
        ]
    if plan.mig is not None:
        mig = plan.mig
        pools.append(
            JobPool(
                name=MIG_POOL,
                shape=mig.shape,
                nodes=mig.nodes,
                gpus=mig.pool.resources,
                # Where slices are of several sizes, a job gets one of the first kind unless it asks for another.
                ask={next(iter(mig.pool.resources)): 1},
            )
        )
    return pools
