"""The node pools of a plan that jobs can use: the common part of all clouds. Imports no Pulumi."""

from __future__ import annotations

from gpucluster.components.kubernetes.jobs.job_pool import JobPool, kept
from gpucluster.components.planning.names import GPU, MIG_POOL, TRAINING_POOL
from gpucluster.components.shared.pools.elastic import ElasticMachines, PoolPlan
from gpucluster.components.shared.pools.mig import MigMachines
from gpucluster.components.shared.pools.training import TrainingNodes


def training_job_pool(training: TrainingNodes) -> JobPool:
    """The training pool without fabric resources. A job gets whole nodes."""
    shape, gpus = training.shape, training.shape.gpus
    return JobPool(
        name=TRAINING_POOL, shape=shape, nodes=training.nodes, gpus={GPU: training.nodes * gpus}, ask={GPU: gpus}
    )


def elastic_job_pool(elastic: ElasticMachines, pool: PoolPlan) -> JobPool:
    """A job gets a single GPU unless it requests more."""
    return JobPool(
        name=pool.name,
        shape=elastic.shape,
        nodes=elastic.nodes(pool),
        gpus={GPU: pool.max_gpus},
        ask={GPU: 1},
        elastic=True,
        annotations=kept(pool.purchase),
    )


def mig_job_pool(mig: MigMachines) -> JobPool:
    """If slices have several sizes, a job gets one of the first size unless it requests another."""
    resources = mig.pool.resources
    return JobPool(name=MIG_POOL, shape=mig.shape, nodes=mig.nodes, gpus=resources, ask={next(iter(resources)): 1})
