"""The node pools of an EKS cluster that jobs can use. Imports no Pulumi."""

from __future__ import annotations

from dataclasses import replace

from gpucluster.components.aws.fabric import NETWORK_LABELS, efa_pod, mpi_efa_pod
from gpucluster.components.aws.plan import AwsClusterPlan
from gpucluster.components.job_pools import elastic_job_pool, mig_job_pool, training_job_pool
from gpucluster.components.kubernetes.job_pool import JobPool


def job_pools(plan: AwsClusterPlan) -> list[JobPool]:
    """/scratch is an emptyDir in all of them, in the kubelet's folder on the RAID0 of the local disks."""
    training, elastic, mig = plan.training, plan.elastic, plan.mig
    return [
        replace(
            training_job_pool(training),
            fabric=efa_pod(training.shape, plan.access.registry),
            mpi_fabric=mpi_efa_pod(training.shape),
            topology=NETWORK_LABELS,
            near=NETWORK_LABELS[-1],
        ),
        *([elastic_job_pool(elastic, pool) for pool in elastic.pools] if elastic else []),
        *([mig_job_pool(mig)] if mig else []),
    ]
