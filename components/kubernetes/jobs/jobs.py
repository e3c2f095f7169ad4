"""Everything a TrainJob needs that is the same on every cloud: the software, a queue for each pool, priorities, the
runtimes, and the rules that keep the fabric in use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.jobs.job_controllers import Queueing
from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.kubernetes.jobs.job_rules import job_rules, rules_of
from gpucluster.components.kubernetes.jobs.queues import JobQueue, TeamQueues
from gpucluster.components.kubernetes.jobs.runtimes import FRAMEWORK, framework_of, mpi_runtime, torch_runtime
from gpucluster.components.kubernetes.objects.charts import mirrored
from gpucluster.components.kubernetes.objects.namespace import not_to_these, only_from_within
from gpucluster.components.kubernetes.objects.objects import (
    CLUSTER_TRAINING_RUNTIME,
    WORKLOAD_PRIORITY_CLASS,
    Declared,
    manifest_of,
)
from gpucluster.components.kubernetes.workspaces import TeamSpace, Workspace
from gpucluster.components.planning.names import (
    MIG_POOL,
    MIG_RUNTIME,
    MPI_RUNTIME,
    NAMESPACE,
    SINGLE_GPU_RUNTIME,
    TRAINING_POOL,
    TRAINING_RUNTIME,
)
from gpucluster.components.shared.fleet import FleetPlan

PRIORITIES: Final[Mapping[str, tuple[int, str]]] = {
    "low": (250, "Waits for all other jobs and is preempted by them: for sweeps and evaluations without a deadline"),
    "medium": (500, "The ordinary job; preempts jobs of low priority"),
    "high": (750, "Runs before other waiting jobs, and preempts running ones if it needs their GPUs"),
}
"""Name -> value and description; a job without one has 0, and is preempted for all of these.

Source of the values: GoogleCloudPlatform/cluster-toolkit v1.95.0, its classes for Kueue.
"""


class Jobs(pulumi.ComponentResource):
    """Outputs: queues and runtimes, by name. `ready`: the software."""

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        pools: Sequence[JobPool],
        *,
        workspace: Workspace,
        home: bool,
        tolerations: Sequence[Mapping[str, str]],
        registry: str | None,
        after: Sequence[pulumi.Resource],
        closed: Sequence[str] = (),
        spaces: Sequence[TeamSpace] = (),
        chart_set: str | None = None,
        leader_worker_sets: bool = False,
        fleet: FleetPlan | None = None,
        slurm_pools: Sequence[str] = (),
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """home: whether there is a home file system. tolerations: of controllers. registry: mirror of the images, None
        to pull them from their publishers. after: nodes for the controllers. closed: addresses that no job may reach.
        spaces: of the teams. chart_set, leader_worker_sets: as in `Queueing`. fleet: None without one. slurm_pools: get
        no queue.
        """
        super().__init__("gpucluster:kubernetes:Jobs", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        release = next(pool.release for pool in pools if pool.name == TRAINING_POOL)
        of_slurm = [pool for pool in pools if pool.name in slurm_pools]
        pools = [pool for pool in pools if pool.name not in slurm_pools]
        namespace = workspace.namespace.object_name
        teams = [space.team for space in spaces]
        software = Queueing(
            f"{name}-software",
            tolerations=tolerations,
            registry=registry,
            after=[workspace.namespace, *after],
            teams=teams,
            chart_set=chart_set,
            leader_worker_sets=leader_worker_sets,
            manages_fleet=fleet is not None and fleet.manager is None,
            opts=here,
        )
        self.ready = software.ready
        ready = pulumi.ResourceOptions(parent=self, depends_on=software.ready)
        queues = {
            pool.name: JobQueue(
                f"{name}-{pool.name}", pool, namespace=namespace, after=software.ready, teams=teams, opts=here
            )
            for pool in pools
        }
        for space in spaces:
            TeamQueues(f"{name}-team-{space.team.name}", space, queues, pools, here)
        for priority, (value, description) in PRIORITIES.items():
            fields = {"value": value, "description": description}
            manifest = manifest_of(WORKLOAD_PRIORITY_CLASS, fields, object_name=priority)
            Declared(f"{name}-{priority}-priority", manifest, ready)
        runtimes = runtimes_of(pools, home=home, registry=registry)
        for runtime, spec in runtimes.items():
            labels = {FRAMEWORK: framework_of(spec)}
            Declared(
                f"{name}-{runtime}-runtime",
                manifest_of(CLUSTER_TRAINING_RUNTIME, spec, object_name=runtime, labels=labels),
                ready,
            )
        rules = rules_of(
            pools,
            release=release,
            queues=queues_of(pools),
            namespaces=[NAMESPACE, *(team.namespace for team in teams)],
            restricted=workspace.pod_security == "baseline",
            fleet=fleet,
            of_slurm=of_slurm,
        )
        job_rules(f"{name}-rules", rules, ready)
        only_from_within(f"{name}-network", namespace=namespace, opts=here)
        if closed:
            not_to_these(f"{name}-closed", closed, namespace=namespace, opts=here)
        self.register_outputs({"queues": [pool.name for pool in pools], "runtimes": list(runtimes)})


def runtimes_of(pools: Sequence[JobPool], *, home: bool, registry: str | None) -> dict[str, dict[str, Any]]:
    """The runtimes of a cluster by name: two for training, one for all elastic pools, one for slices."""
    return {
        runtime: mpi_runtime(served[0], mirrored(served[0].release.mpi, registry), home=home)
        if runtime == MPI_RUNTIME
        else torch_runtime(served, mirrored(served[0].release.pytorch, registry), home=home)
        for runtime, served in _served(pools).items()
    }


def queues_of(pools: Sequence[JobPool]) -> dict[str, list[str]]:
    """Runtime -> the queues its jobs may name."""
    return {runtime: [pool.name for pool in served] for runtime, served in _served(pools).items()}


def _served(pools: Sequence[JobPool]) -> dict[str, list[JobPool]]:
    """Runtime -> the cluster's pools in which its jobs may run."""
    training = [pool for pool in pools if pool.name == TRAINING_POOL]
    served = {
        TRAINING_RUNTIME: training,
        MPI_RUNTIME: training,
        SINGLE_GPU_RUNTIME: [pool for pool in pools if pool.elastic],
        MIG_RUNTIME: [pool for pool in pools if pool.name == MIG_POOL],
    }
    return {runtime: found for runtime, found in served.items() if found}
