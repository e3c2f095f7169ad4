"""A node pool that jobs can use, and the pools of a plan that are equal on all clouds. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from gpucluster.components.planning.names import (
    CAPACITY_TYPE,
    GPU,
    HOSTNAME,
    INSTANCE_TYPE,
    MIG_POOL,
    REGION,
    TRAINING_POOL,
)
from gpucluster.components.shared.elastic import ElasticMachines, PoolPlan
from gpucluster.components.shared.mig import MigMachines
from gpucluster.components.shared.training import TrainingNodes
from gpucluster.components.spec.operations import GRACE_SECONDS
from gpucluster.core.catalog.fabrics import FabricRelease, none_release, release_of
from gpucluster.core.catalog.machines import Machine

Parts = Sequence[Mapping[str, Any]]

_NOT_EVICTED: Final = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
_NOT_DRAINED: Final = {"karpenter.sh/do-not-disrupt": "true"}


def kept(purchase: Sequence[str]) -> Mapping[str, str]:
    """Annotations of pods that neither Karpenter nor a cluster autoscaler may move to save a machine.

    purchase: purchase options of their pool. Pods that Karpenter may not drain are not drained for a Spot notice
    either: a job would get no warning. In a pool that buys Spot, only the budgets of `karpenter` keep Karpenter from
    moving jobs.

    Sources: Karpenter documentation, "Disruption"; sigs.k8s.io/karpenter v1.15.0, pkg/controllers/node/termination/
    terminator/eviction.go (Reconcile); kubernetes/autoscaler, cluster-autoscaler/FAQ.md.
    """
    return _NOT_EVICTED if "spot" in purchase else {**_NOT_EVICTED, **_NOT_DRAINED}


@dataclass(frozen=True, kw_only=True)
class FabricPod:
    """Requirements of a pod for the GPU fabric of its node, with the cloud's resource names and NCCL's settings.

    resources: requested in addition to GPUs; each pod uses all of its node. env: of the job's container. capabilities:
    of the same. before: containers that run before it, or alongside it if their restartPolicy is Always. volumes,
    mounts: of these containers and of the job's.
    """

    resources: Mapping[str, str] = field(default_factory=dict[str, str])
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    capabilities: Sequence[str] = ()
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    before: Parts = ()
    volumes: Parts = ()
    mounts: Parts = ()


@dataclass(frozen=True, kw_only=True)
class JobPool:
    """name: of the pool, of its queue, and in the nodes' label `gpucluster/pool`.

    nodes: total machines that jobs may use, excluding spares. gpus: of the whole pool, resource -> amount. ask: request
    of one pod. elastic: whether its machines start for a job and are deleted after it; all such pools have equal
    machines. purchase: its options, if it is elastic. region: of its machines. fabric, mpi_fabric: of pods of PyTorch
    and of MPI; None if nodes have none. fabric_release: None for the default one. selector: further labels of its nodes
    that pods have to select, which its queue adds to them. tolerations: in addition to those of every pool. scratch:
    the node's folder for /scratch; None if an emptyDir is on the local disks. topology: labels of nodes that show their
    proximity, widest first; empty if they have none. near: the one of these within which a job's pods should run.
    provisioning: specification of the requests by which a cluster autoscaler provides all nodes of a job at once.
    grace_seconds: from SIGTERM to SIGKILL.
    """

    name: str
    shape: Machine
    nodes: int
    gpus: Mapping[str, int]
    ask: Mapping[str, int]
    elastic: bool = False
    purchase: Sequence[str] = ()
    region: str = ""
    fabric: FabricPod | None = None
    mpi_fabric: FabricPod | None = None
    fabric_release: str | None = None
    selector: Mapping[str, str] = field(default_factory=dict[str, str])
    tolerations: Sequence[Mapping[str, str]] = ()
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    scratch: str | None = None
    topology: Sequence[str] = ()
    near: str | None = None
    provisioning: Mapping[str, str] | None = None
    grace_seconds: int = GRACE_SECONDS

    @property
    def flavor(self) -> str:
        """Name of its flavor and topology. Of other levels it is another, because Kueue accepts no change of either.

        Source: kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2 (Levels, TopologyName: "immutable").
        """
        return f"{self.name}-hosts" if [*self.topology] == [HOSTNAME] else self.name

    @property
    def machine(self) -> dict[str, str]:
        """Labels of its flavor, the same as of its nodes, which submitters may not read: they give a job its price. A
        machine that may be bought in several ways has the way on its node only.
        """
        bought = {CAPACITY_TYPE: "-or-".join(self.purchase)} if self.purchase else {}
        return {INSTANCE_TYPE: self.shape.machine_type, REGION: self.region, **bought}

    @property
    def release(self) -> FabricRelease:
        """The release of its nodes' fabric, with the images that load it."""
        return none_release() if self.fabric is None else release_of(self.shape, self.fabric_release)

    @property
    def pods_per_node(self) -> int:
        """Pods that share a machine, if each requests `ask`."""
        resource, amount = next(iter(self.ask.items()))
        return max(1, self.gpus[resource] // max(1, self.nodes) // amount)

    @property
    def requests(self) -> dict[str, str]:
        """CPUs and memory of one pod: three quarters of its part of the machine; Kubernetes, its daemons and containers
        next to the job's need the rest.
        """
        return {
            "cpu": str(max(1, self.shape.vcpus * 3 // 4 // self.pods_per_node)),
            "memory": f"{max(1, self.shape.memory_gib * 3 // 4 // self.pods_per_node)}Gi",
        }

    @property
    def shared_memory(self) -> str:
        """Size of /dev/shm, where processes of a job exchange data: an eighth of the machine's memory."""
        return f"{max(1, self.shape.memory_gib // 8 // self.pods_per_node)}Gi"

    @property
    def quotas(self) -> dict[str, str]:
        """Quota of all jobs: covers every resource they can request, since a queue refuses jobs that request more."""
        quotas = {
            "cpu": str(self.nodes * self.shape.vcpus),
            "memory": f"{self.nodes * self.shape.memory_gib}Gi",
            **{resource: str(amount) for resource, amount in self.gpus.items()},
        }
        for part in (self.fabric, self.mpi_fabric):
            if part is not None:
                quotas |= {resource: _times(amount, self.nodes) for resource, amount in part.resources.items()}
        return quotas

    @property
    def whole_gpus(self) -> int:
        """GPUs of one pod, for a job that starts a process for each."""
        return self.ask.get(GPU, 1)


def _times(amount: str, nodes: int) -> str:
    """An amount such as 32 or 5120Mi, times the number of nodes."""
    digits = amount.rstrip("KMGTi")
    return f"{int(digits) * nodes}{amount[len(digits) :]}"


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
        purchase=pool.purchase,
        annotations=kept(pool.purchase),
    )


def mig_job_pool(mig: MigMachines) -> JobPool:
    """If slices have several sizes, a job gets one of the first size unless it requests another."""
    resources = mig.pool.resources
    return JobPool(name=MIG_POOL, shape=mig.shape, nodes=mig.nodes, gpus=resources, ask={next(iter(resources)): 1})
