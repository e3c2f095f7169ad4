"""A node pool that jobs can use. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from gpucluster.catalog.fabric_releases import FabricRelease, none_release, release_of
from gpucluster.catalog.machines import Machine
from gpucluster.components.names import GPU
from gpucluster.record import record

Parts = Sequence[Mapping[str, Any]]

_NOT_EVICTED: Final = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
_NOT_DRAINED: Final = {"karpenter.sh/do-not-disrupt": "true"}


def kept(purchase: Sequence[str]) -> Mapping[str, str]:
    """Annotations of pods that neither Karpenter nor a cluster autoscaler may move to save a machine.

    purchase: how their pool buys. What Karpenter may not drain, it does not drain for a Spot notice either: a job would
    not hear of it. In a pool that buys Spot, the budgets of `karpenter` alone keep it from moving jobs.

    Sources: Karpenter documentation, "Disruption"; sigs.k8s.io/karpenter v1.15.0, pkg/controllers/node/termination/
    terminator/eviction.go (Reconcile); kubernetes/autoscaler, cluster-autoscaler/FAQ.md.
    """
    return _NOT_EVICTED if "spot" in purchase else {**_NOT_EVICTED, **_NOT_DRAINED}


@record(kw_only=True)
class FabricPod:
    """Requirements of a pod for the GPU fabric of its node, with the cloud's resource names and NCCL's settings.

    resources: asked for besides GPUs, each pod taking all of its node. env: of the job's container. capabilities: of
    the same. before: containers that run before it, or beside it where their restartPolicy is Always. volumes, mounts:
    of these containers and of the job's.
    """

    resources: Mapping[str, str] = field(default_factory=dict[str, str])
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    capabilities: Sequence[str] = ()
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    before: Parts = ()
    volumes: Parts = ()
    mounts: Parts = ()


@record(kw_only=True)
class JobPool:
    """name: of the pool, of its queue, and in the nodes' label `gpucluster/pool`.

    nodes: machines that jobs may use together; spares are not among them. gpus: what the whole pool has, resource ->
    amount. ask: what one pod asks for. elastic: whether its machines come for a job and go after it; all such pools
    have equal machines. fabric, mpi_fabric: of pods of PyTorch and of MPI; None where nodes have none. fabric_release:
    None for the one that clusters get. selector: labels of its nodes that pods have to select besides, which its queue
    puts into them. tolerations: besides those of every pool. scratch: the node's folder for /scratch; None where an
    emptyDir is on the local disks. topology: labels of nodes that tell how near they are, widest first; none where they
    have none. near: the one of these within which a job's pods are wanted. provisioning: class by which a cluster
    autoscaler is asked for all nodes of a job at once.
    """

    name: str
    shape: Machine
    nodes: int
    gpus: Mapping[str, int]
    ask: Mapping[str, int]
    elastic: bool = False
    fabric: FabricPod | None = None
    mpi_fabric: FabricPod | None = None
    fabric_release: str | None = None
    selector: Mapping[str, str] = field(default_factory=dict[str, str])
    tolerations: Sequence[Mapping[str, str]] = ()
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])
    scratch: str | None = None
    topology: Sequence[str] = ()
    near: str | None = None
    provisioning: str | None = None

    @property
    def release(self) -> FabricRelease:
        """Of the fabric of its nodes, with the images that load it."""
        return none_release() if self.fabric is None else release_of(self.shape, self.fabric_release)

    @property
    def pods_per_node(self) -> int:
        """Pods that share a machine, when each asks for what `ask` says."""
        resource, amount = next(iter(self.ask.items()))
        return max(1, self.gpus[resource] // max(1, self.nodes) // amount)

    @property
    def requests(self) -> dict[str, str]:
        """CPUs and memory of one pod: three quarters of its part of the machine, for Kubernetes, its daemons and the
        containers beside the job's need some.
        """
        return {
            "cpu": str(max(1, self.shape.vcpus * 3 // 4 // self.pods_per_node)),
            "memory": f"{max(1, self.shape.memory_gib * 3 // 4 // self.pods_per_node)}Gi",
        }

    @property
    def shared_memory(self) -> str:
        """Of /dev/shm, which processes of a job exchange data by: an eighth of the machine's memory."""
        return f"{max(1, self.shape.memory_gib // 8 // self.pods_per_node)}Gi"

    @property
    def quotas(self) -> dict[str, str]:
        """What jobs may use together: everything they can ask for, since a queue takes no job that asks for more."""
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
    """An amount such as 32 or 5120Mi, for all nodes."""
    digits = amount.rstrip("KMGTi")
    return f"{int(digits) * nodes}{amount[len(digits) :]}"
