"""Kueue's queues: one for each pool, in which jobs wait until there is room for all of their pods, and those of
teams.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.kubernetes.objects.objects import (
    ADMISSION_CHECK,
    CLUSTER_QUEUE,
    LOCAL_QUEUE,
    PROVISIONING_REQUEST_CONFIG,
    RESOURCE_FLAVOR,
    TOPOLOGY,
    Declared,
    Kind,
    manifest_of,
)
from gpucluster.components.kubernetes.workspaces import TeamSpace
from gpucluster.components.planning.names import GPU, HOSTNAME, NAMESPACE, POOL
from gpucluster.components.shared.teams import TeamPlan

# The owner of borrowed quota reclaims it, first from the largest borrower and whatever the priority of the job: a share
# that is not available on demand is worthless.
# Source: kubernetes-sigs/kueue v0.19.2, site/content/en/docs/concepts/preemption.md ("Fair Sharing").
_SHARED: Final[Mapping[str, str]] = {"reclaimWithinCohort": "Any"}


def cluster_queue(pool: JobPool, teams: Sequence[TeamPlan]) -> dict[str, Any]:
    """The queue of a pool for the namespace `training`: all of the pool, or with teams the rest of it."""
    if not teams:
        return _spec(pool, NAMESPACE, pool.quotas, {})
    return _spec(pool, NAMESPACE, rest_of(pool, teams), _SHARED)


def team_queue(pool: JobPool, team: TeamPlan) -> dict[str, Any]:
    """The queue of a pool for the namespace of a team."""
    quotas = part_of(pool, team.shares[pool.name])
    return {**_spec(pool, team.namespace, quotas, _SHARED), "fairSharing": {"weight": str(team.weight)}}


def part_of(pool: JobPool, share: Fraction) -> dict[str, str]:
    """A share of every resource that jobs of a pool can request."""
    return {resource: _times(amount, share) for resource, amount in pool.quotas.items()}


def rest_of(pool: JobPool, teams: Sequence[TeamPlan]) -> dict[str, str]:
    """The rest after the shares of all teams."""
    parts = [part_of(pool, team.shares[pool.name]) for team in teams]
    rest: dict[str, str] = {}
    for resource, amount in pool.quotas.items():
        number, unit = _split(amount)
        rest[resource] = f"{number - sum(_split(part[resource])[0] for part in parts)}{unit}"
    return rest


def _spec(pool: JobPool, namespace: str, quotas: Mapping[str, str], preemption: Mapping[str, str]) -> dict[str, Any]:
    """preemption: of others' jobs; a queue with any belongs to the pool's cohort."""
    resources = [{"name": resource, "nominalQuota": amount} for resource, amount in quotas.items()]
    checked = {"admissionChecks": [{"name": pool.name, "onFlavors": [pool.flavor]}]}
    return {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "resourceGroups": [
            {
                "coveredResources": list(quotas),
                "flavors": [{"name": pool.flavor, "resources": resources}],
            }
        ],
        **({"cohortName": pool.name} if preemption else {}),
        # Without it a large job of a high priority waits as long as smaller ones of any priority keep arriving and
        # start before it. StrictFIFO would keep GPUs idle for it; a preempted gang continues from its checkpoint.
        # Source: kubernetes-sigs/kueue v0.19.2, apis/kueue/v1beta2/clusterqueue_types.go.
        "preemption": {"withinClusterQueue": "LowerPriority", **preemption},
        **({} if pool.provisioning is None else {"admissionChecksStrategy": checked}),
    }


def _times(amount: str, share: Fraction) -> str:
    number, unit = _split(amount)
    return f"{number * share.numerator // share.denominator}{unit}"


def _split(amount: str) -> tuple[int, str]:
    """An amount such as 32 or 5120Mi as number and unit."""
    digits = amount.rstrip("KMGTi")
    return int(digits), amount[len(digits) :]


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
            labels: Mapping[str, str] | None = None,
        ) -> pulumi.CustomResource:
            return Declared(
                f"{name}-{suffix}",
                manifest_of(kind, spec, object_name=named, namespace=space, labels=labels),
                pulumi.ResourceOptions(parent=self, depends_on=[*after, *needs]),
            )

        topology: list[pulumi.CustomResource] = []
        near: dict[str, str] = {}
        if pool.topology:
            levels = [{"nodeLabel": label} for label in dict.fromkeys((*pool.topology, HOSTNAME))]
            topology = [declare("topology", TOPOLOGY, {"levels": levels}, [], named=pool.flavor)]
            near = {"topologyName": pool.flavor}
        labels = {POOL: pool.name, **pool.selector}
        flavor = declare(
            "flavor",
            RESOURCE_FLAVOR,
            {"nodeLabels": labels, **near},
            topology,
            named=pool.flavor,
            labels=pool.machine,
        )
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
        names: list[str] = []
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
            names.append(shared)
        self.register_outputs({"queues": names})
