"""The queues of a team: one for each pool, with the same names as everywhere, so that job files work for every team."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pulumi

from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.kubernetes.jobs.kueue.cluster_queue import team_queue
from gpucluster.components.kubernetes.jobs.kueue.job_queue import JobQueue
from gpucluster.components.kubernetes.objects.kinds import CLUSTER_QUEUE, LOCAL_QUEUE
from gpucluster.components.kubernetes.objects.objects import Declared, manifest_of
from gpucluster.components.kubernetes.teams.team_space import TeamSpace


class TeamQueues(pulumi.ComponentResource):
    """Outputs: queues, by the names of their ClusterQueues, such as vision.training."""

    def __init__(
        self,
        name: str,
        space: TeamSpace,
        queues: Mapping[str, JobQueue],
        pools: Sequence[JobPool],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """queues: those of the namespace `training`, by pool; all namespaces share their flavors."""
        super().__init__("gpucluster:kubernetes:TeamQueues", name, {}, opts)
        made: list[str] = []
        for pool in pools:
            # Neither name contains dots.
            shared = f"{space.team.name}.{pool.name}"
            queue = Declared(
                f"{name}.{pool.name}-cluster-queue",
                manifest_of(CLUSTER_QUEUE, team_queue(pool, space.team), object_name=shared, labels=space.labels),
                pulumi.ResourceOptions(parent=self, depends_on=queues[pool.name].flavors),
            )
            Declared(
                f"{name}.{pool.name}-queue",
                manifest_of(
                    LOCAL_QUEUE,
                    {"clusterQueue": shared},
                    object_name=pool.name,
                    namespace=space.namespace.object_name,
                    labels=space.labels,
                ),
                pulumi.ResourceOptions(parent=self, depends_on=[queue]),
            )
            made.append(shared)
        self.register_outputs({"queues": made})
