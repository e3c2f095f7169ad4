"""The node pools of a GKE cluster that jobs can use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gpucluster.components.gcp.fabric.fabric import fabric_of
from gpucluster.components.gcp.fabric.fabric_pod import TOPOLOGY_LABELS, fabric_pod, mpi_fabric_pod
from gpucluster.components.gcp.planning.plan import GcpClusterPlan
from gpucluster.components.gcp.planning.pools import ElasticPlan, MigPlan
from gpucluster.components.gcp.pools.compute_classes import class_node_label, class_node_taint
from gpucluster.components.kubernetes.jobs.job_pool import JobPool, elastic_job_pool, mig_job_pool, training_job_pool
from gpucluster.components.shared.buckets import BucketPlan
from gpucluster.components.shared.elastic import PoolPlan

# Google's driver mounts a bucket by a sidecar container of the job. Source: GKE documentation, "Cloud Storage FUSE CSI
# driver".
_BUCKET = {"gke-gcsfuse/volumes": "true"}
# Tells GKE that it may wait for such nodes. Source: GKE documentation, "About flex-start".
_FLEX_START = {"cloud.google.com/gke-flex-start": "true"}
# Requests all nodes of a job from GKE at once. GKE takes requests with one set of pods only. An MPI job has two, the
# launcher and the other nodes, which Kueue counts as one because they request the same. Kueue then annotates only the
# pods of the first as those of the request (kubernetes-sigs/kueue pull request 14408, open). The launcher starts
# without it, on the remaining node, which has the labels and taints of the others.
# Sources: GoogleCloudPlatform/cluster-toolkit v1.95.0, examples/gke-consumption-options/
# dws-flex-start-queued-provisioning/dws-queues.yaml.tftpl; ray-project/ray issue 57839 (what GKE refuses); both it and
# skypilot-org/skypilot 9aa57da, docs/source/reference/kubernetes/examples/kueue-example.rst, for the policy on GKE.
_QUEUED = {
    "provisioningClassName": "queued-provisioning.gke.io",
    "podSetMergePolicy": "IdenticalWorkloadSchedulingRequirements",
}
QUEUED_TOLERATION: Mapping[str, str] = {
    "key": "cloud.google.com/gke-queued",
    "operator": "Exists",
    "effect": "NoSchedule",
}
"""GKE's taint of such nodes. Source: elideng-sg/hypercomputer-internode-deepdive, assets/lab-07 (GKE 1.35)."""


def job_pools(plan: GcpClusterPlan) -> list[JobPool]:
    """/scratch is an emptyDir in all of them, on the RAID0 that GKE creates from the local disks."""
    annotations = _BUCKET if isinstance(plan.storage, BucketPlan) else {}
    pools = [_training(plan, annotations)]
    if plan.elastic is not None:
        pools += [_elastic(plan.elastic, pool, annotations) for pool in plan.elastic.pools]
    if plan.mig is not None:
        pools.append(_mig(plan.mig, annotations))
    return pools


def _training(plan: GcpClusterPlan, annotations: Mapping[str, str]) -> JobPool:
    training = plan.training
    fabric = fabric_of(training.shape, plan.versions.fabric)
    # A job gets exactly the flex-start nodes started for it: there is no choice by proximity.
    placed = training.placement.compact or training.placement.reservation is not None
    return replace(
        training_job_pool(training),
        fabric=None if fabric is None else fabric_pod(fabric),
        mpi_fabric=None if fabric is None else mpi_fabric_pod(fabric),
        fabric_release=plan.versions.fabric,
        selector={} if training.flex_start_hours is None else _FLEX_START,
        tolerations=[QUEUED_TOLERATION] if training.queued else [],
        annotations=annotations,
        provisioning=_QUEUED if training.queued else None,
        topology=TOPOLOGY_LABELS if placed else (),
        near=TOPOLOGY_LABELS[1] if placed else None,
    )


def _elastic(elastic: ElasticPlan, pool: PoolPlan, annotations: Mapping[str, str]) -> JobPool:
    job_pool, native = elastic_job_pool(elastic, pool), elastic.engine == "native"
    return replace(
        job_pool,
        selector=class_node_label(pool.name) if native else {},
        tolerations=[{**class_node_taint(pool.name), "operator": "Equal"}] if native else [],
        annotations={**annotations, **job_pool.annotations},
    )


def _mig(mig: MigPlan, annotations: Mapping[str, str]) -> JobPool:
    selector = _FLEX_START if mig.purchase == "flex-start" else {}
    return replace(mig_job_pool(mig), selector=selector, annotations=annotations)
