"""Submitters of jobs, and each team's share of the cluster, as plain values. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from gpucluster.components.planning.names import ELASTIC, MIG_POOL, NAMESPACE, TEAM_NAMESPACE, TRAINING_POOL
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.access import Access
from gpucluster.components.spec.access import Team as AskedTeam
from gpucluster.core.program.facts import PoolShare, Team

# Only their ratios count; a queue without a weight has 1, such as that of the namespace `training`.
_WEIGHTS: Final[Mapping[str, int]] = {"low": 1, "medium": 2, "high": 4}


@dataclass(frozen=True, kw_only=True)
class TeamPlan:
    """groups: submitters of its jobs, by the cloud's names. shares: pool -> its part of what jobs can use there, 0 if
    it has none. weight: of its queues when several borrow.
    """

    name: str
    groups: tuple[str, ...]
    shares: Mapping[str, Fraction]
    weight: int

    @property
    def namespace(self) -> str:
        """The namespace of its jobs."""
        return f"{TEAM_NAMESPACE}{self.name}"


@dataclass(frozen=True, kw_only=True)
class PeoplePlan:
    """submitters: submit jobs without a team. may_exec: whether they and the teams may start programs in pods."""

    submitters: tuple[str, ...]
    may_exec: bool
    teams: tuple[TeamPlan, ...]

    @property
    def namespaces(self) -> tuple[str, ...]:
        """The namespaces of jobs."""
        return (NAMESPACE, *(team.namespace for team in self.teams))

    @property
    def memberships(self) -> dict[str, list[str]]:
        """Submitter -> the namespaces that admit it."""
        found: dict[str, list[str]] = {}
        for namespace, people in (
            (NAMESPACE, self.submitters),
            *((team.namespace, team.groups) for team in self.teams),
        ):
            for identity in people:
                found.setdefault(identity, []).append(namespace)
        return found


def team_facts(cluster: str, teams: Mapping[str, AskedTeam], pool_gpus: Mapping[str, int]) -> dict[str, Team]:
    """The shares by which the cost module divides the bill. cluster: its name."""
    return {
        name: Team(
            monthly=team.monthly_usd,
            shares=tuple(
                PoolShare(part=_part(cluster, pool), gpus=team.gpus.get(pool, 0), of=gpus)
                for pool, gpus in pool_gpus.items()
            ),
        )
        for name, team in teams.items()
    }


def _part(cluster: str, pool: str) -> str:
    """Prefix of the names of a pool's machines."""
    return f"{cluster}-{pool}" if pool in (TRAINING_POOL, MIG_POOL) else f"{cluster}-{ELASTIC}-{pool}"


def _report_teams(teams: Mapping[str, AskedTeam], pools: Mapping[str, int], planning: Planning[Any]) -> None:
    """Each team's resources, and what teams share."""
    used = {pool: sum(team.gpus.get(pool, 0) for team in teams.values()) for pool in pools}
    for name, team in teams.items():
        planning.notes.append(
            f"team {name}: namespace {TEAM_NAMESPACE}{name}, {_gpus(team.gpus, pools)}; borrowing priority "
            f"{team.priority}"
        )
    rest = _gpus({pool: gpus - used[pool] for pool, gpus in pools.items()}, pools)
    planning.notes += [
        f"namespace {NAMESPACE} keeps {rest} for acceptance and everyone without a team",
        "teams: a job on borrowed GPUs is preempted when their owner needs them, and waits in the queue again: write "
        "checkpoints",
        "teams: namespaces separate jobs, logs and claims, not files: all teams mount the same file systems, where "
        "file owners and modes control access",
    ]


def _gpus(given: Mapping[str, int], pools: Mapping[str, int]) -> str:
    return ", ".join(f"{given.get(pool, 0)} of {gpus} GPUs of {pool}" for pool, gpus in pools.items())


def plan_people(
    access: Access, teams: Mapping[str, AskedTeam], pool_gpus: Mapping[str, int], planning: Planning[Any]
) -> PeoplePlan:
    """The submitters and teams of a spec, as it names them. pool_gpus: pool -> GPUs of it that jobs can use."""
    if teams:
        _report_teams(teams, pool_gpus, planning)
    return PeoplePlan(
        submitters=access.submitters,
        may_exec=access.exec,
        teams=tuple(
            TeamPlan(
                name=name,
                groups=team.groups,
                shares={pool: Fraction(team.gpus.get(pool, 0), gpus) for pool, gpus in pool_gpus.items()},
                weight=_WEIGHTS[team.priority],
            )
            for name, team in teams.items()
        ),
    )


def people_fields(access: Access, teams: Mapping[str, AskedTeam]) -> dict[str, str]:
    """Field -> name of every submitter, for the form that the cloud requires."""
    return {
        **{f"access.submitters[{at}]": identity for at, identity in enumerate(access.submitters)},
        **{
            f"teams.{name}.groups[{at}]": identity
            for name, team in teams.items()
            for at, identity in enumerate(team.groups)
        },
    }
