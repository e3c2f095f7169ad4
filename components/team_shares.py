"""Checks that the cluster has the GPUs given to teams. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Mapping

from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.names import NODE_GPUS, TRAINING_POOL
from gpucluster.components.problem import Problem


def share_problems(teams: Mapping[str, Mapping[str, int]], pools: Mapping[str, int]) -> list[Problem]:
    """Problems of the teams' shares. teams: name -> pool -> GPUs. pools: name -> available GPUs."""
    problems: list[Problem] = []
    for team, shares in teams.items():
        for pool, gpus in shares.items():
            field = f"teams.{team}.gpus.{pool}"
            if pool not in pools:
                near = did_you_mean(pool, pools)
                problems.append(Problem(field, "is not a pool of the cluster", f"allowed: {', '.join(pools)}{near}"))
            elif gpus < 0:
                problems.append(Problem(field, f"is {gpus}", "write a whole number of at least 0"))
            elif pool == TRAINING_POOL and gpus % NODE_GPUS:
                problems.append(
                    Problem(
                        field,
                        f"is {gpus}, but a job of this pool uses whole nodes of {NODE_GPUS}",
                        f"write {gpus // NODE_GPUS * NODE_GPUS} or {(gpus // NODE_GPUS + 1) * NODE_GPUS}",
                    )
                )
    return problems + [_too_much(teams, pool, there) for pool, there in pools.items() if _given(teams, pool) > there]


def _given(teams: Mapping[str, Mapping[str, int]], pool: str) -> int:
    return sum(shares.get(pool, 0) for shares in teams.values())


def _too_much(teams: Mapping[str, Mapping[str, int]], pool: str, there: int) -> Problem:
    each = ", ".join(f"{team} {shares[pool]}" for team, shares in teams.items() if shares.get(pool))
    return Problem(
        "teams",
        f"have {_given(teams, pool)} GPUs of the pool {pool} together ({each}), but it has {there} for jobs",
        "reduce one of them, or enlarge the pool",
    )
