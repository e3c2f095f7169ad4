"""The queue of one pool: jobs wait in it until there is room for all of their pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pulumi

from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.kubernetes.jobs.kueue.cluster_queue import cluster_queue
from gpucluster.components.kubernetes.objects.kinds import (
    ADMISSION_CHECK,
    CLUSTER_QUEUE,
    LOCAL_QUEUE,
    PROVISIONING_REQUEST_CONFIG,
    RESOURCE_FLAVOR,
    TOPOLOGY,
)
from gpucluster.components.kubernetes.objects.objects import Declared, Kind, manifest_of
from gpucluster.components.planning.names import GPU, HOSTNAME, POOL
from gpucluster.components.shared.jobs.teams import TeamPlan

_GROUP = "kueue.x-k8s.io"


class JobQueue(pulumi.ComponentResource):
    """A flavor and two queues, all named like the pool; a topology if its nodes have one, a check if nodes are
    requested from an autoscaler.

    Jobs of the namespace `training` name the queue by the label `kueue.x-k8s.io/queue-name`. A queue has one flavor, so
    no job ever runs on the nodes of another pool. Output: queue.
    """

    flavors: list[pulumi.CustomResource]
    """Other queues of the pool depend on these."""

    def __init__(
        self,
        name: str,
        pool: JobPool,
        *,
        namespace: pulumi.Input[str],
        after: Sequence[pulumi.Resource],
        teams: Sequence[TeamPlan] = (),
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """namespace: `training`, after its creation. after: Kueue. teams: other owners of a part of the pool."""
        super().__init__("gpucluster:kubernetes:JobQueue", name, {}, opts)

        def declare(
            suffix: str,
            kind: Kind,
            spec: Mapping[str, object],
            needs: Sequence[pulumi.Resource],
            space: pulumi.Input[str] | None = None,
            named: str = pool.name,
        ) -> pulumi.CustomResource:
            return Declared(
                f"{name}-{suffix}",
                manifest_of(kind, spec, object_name=named, namespace=space),
                pulumi.ResourceOptions(parent=self, depends_on=[*after, *needs]),
            )

        topology: list[pulumi.CustomResource] = []
        near: dict[str, str] = {}
        if pool.topology:
            levels = [{"nodeLabel": label} for label in dict.fromkeys((*pool.topology, HOSTNAME))]
            topology = [declare("topology", TOPOLOGY, {"levels": levels}, [], named=pool.flavor)]
            near = {"topologyName": pool.flavor}
        labels = {POOL: pool.name, **pool.selector}
        flavor = declare("flavor", RESOURCE_FLAVOR, {"nodeLabels": labels, **near}, topology, named=pool.flavor)
        checks: list[pulumi.CustomResource] = []
        if pool.provisioning is not None:
            config = declare(
                "provisioning",
                PROVISIONING_REQUEST_CONFIG,
                # Pods without a GPU run on other nodes and wait for none.
                {**pool.provisioning, "managedResources": [GPU]},
                [],
            )
            checks = [
                declare(
                    "check",
                    ADMISSION_CHECK,
                    {
                        "controllerName": f"{_GROUP}/provisioning-request",
                        "parameters": {
                            "apiGroup": _GROUP,
                            "kind": PROVISIONING_REQUEST_CONFIG.name,
                            "name": pool.name,
                        },
                    },
                    [config],
                )
            ]
        self.flavors = [flavor, *checks]
        # Kueue keeps the objects that a queue uses until the queue is deleted.
        shared = declare("cluster-queue", CLUSTER_QUEUE, cluster_queue(pool, teams), self.flavors)
        declare("queue", LOCAL_QUEUE, {"clusterQueue": pool.name}, [shared], namespace)
        self.register_outputs({"queue": pool.name})
