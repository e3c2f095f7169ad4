"""Total limits of all node pools of a cluster with GKE's node auto-provisioning. Imports no Pulumi.

Sources: GKE documentation, "Configure node pool auto-creation" (limits of the cluster apply to the pools that GKE
creates for ComputeClasses) and "About node pool auto-creation" (they count every pool, GKE's own and others); Pulumi's
gcp.container.Cluster (limits for cpu and memory are mandatory; they also limit the scaling of existing pools).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from gpucluster.catalog.machines import Machine
from gpucluster.components.gcp.elastic import ElasticPlan
from gpucluster.record import record


@record(kw_only=True)
class PoolSize:
    """A pool at its maximum size. scaled: GKE decides the number of nodes."""

    shape: Machine
    nodes: int
    scaled: bool


def cluster_limits(elastic: Machine, pools: Sequence[PoolSize], *, vcpus: int, memory_gib: int) -> Mapping[str, int]:
    """Maximum amounts by GKE's resource type: cpu in vCPUs, memory in GiB, and GPUs of the type that GKE may add.

    elastic: the machine that GKE adds. pools: of GPU nodes, including the elastic one. vcpus, memory_gib: of the other
    nodes.
    """
    total: Counter[str] = Counter(cpu=vcpus, memory=memory_gib)
    for pool in pools:
        total["cpu"] += pool.nodes * pool.shape.vcpus
        total["memory"] += pool.nodes * pool.shape.memory_gib
        if pool.shape.gke_gpu == elastic.gke_gpu:
            total[elastic.gke_gpu] += pool.nodes * pool.shape.gpus
    return dict(total)


def limit_losses(elastic: ElasticPlan, others: Sequence[PoolSize]) -> list[str]:
    """Cases in which a limit for all GPUs of one type does not limit a single elastic pool: it may use GPUs that other
    pools may have but do not have yet.
    """
    kind = elastic.shape.gke_gpu
    waiting = sum(pool.nodes * pool.shape.gpus for pool in others if pool.scaled and pool.shape.gke_gpu == kind)
    losses: list[str] = []
    for pool in elastic.open_ended:
        free = waiting + elastic.max_gpus - pool.max_gpus
        if free:
            losses.append(
                f"elastic.pools.{pool.name}.max_gpus: GKE limits all {kind} of the cluster together; while other pools "
                f"have no machines, this pool may have up to {free} GPUs more"
            )
    return losses
