"""The node pools of an EKS cluster that jobs can use. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import replace

from gpucluster.components.aws.fabric import efa_pod, mpi_efa_pod, network_labels
from gpucluster.components.aws.plan import AwsClusterPlan
from gpucluster.components.job_pools import elastic_job_pool, mig_job_pool, training_job_pool
from gpucluster.components.kubernetes.job_pool import JobPool
from gpucluster.components.names import HOSTNAME


def job_pools(plan: AwsClusterPlan) -> list[JobPool]:
    """/scratch is an emptyDir in all of them, in the kubelet's folder on the RAID0 of the local disks."""
    training, elastic, mig = plan.training, plan.elastic, plan.mig
    labels = network_labels(training.shape)
    return [
        replace(
            training_job_pool(training),
            fabric=efa_pod(training.shape, plan.access.registry),
            mpi_fabric=mpi_efa_pod(training.shape),
            # Kueue places no job on nodes that lack one of these labels.
            topology=labels or (HOSTNAME,),
            near=labels[-1] if labels else None,
        ),
        *([elastic_job_pool(elastic, pool) for pool in elastic.pools] if elastic else []),
        *([mig_job_pool(mig)] if mig else []),
    ]
