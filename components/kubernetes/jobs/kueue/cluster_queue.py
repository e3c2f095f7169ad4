"""The ClusterQueue: quota of its jobs in a pool, lending and borrowing.

Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.planning.names import NAMESPACE
from gpucluster.components.shared.jobs.teams import TeamPlan

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
