"""Problems as their user reads them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from gpucluster.components.cluster.cloud import cloud_of
from gpucluster.components.planning.planning import Planning, Prices
from gpucluster.components.planning.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec

__all__ = ["refused", "reports", "told"]


def told(found: object) -> list[str]:
    """The texts of a list of problems; fails for anything else, such as a location."""
    assert isinstance(found, list)
    problems = cast("list[Any]", found)
    assert all(isinstance(one, Problem) for one in problems)
    return [str(one) for one in problems]


def reports(region: str = "us-east-1", machine: str | None = None, prices: Prices | None = None) -> Planning[Any]:
    """What a shared part reports to."""
    return Planning(stack="dev", location=SimpleNamespace(region=region), machine=machine, prices=prices)


def refused(cloud: str, spec: ClusterSpec, location: object = None, machine: str | None = None) -> list[str]:
    """Why a cloud can't run a spec, there if the location is known."""
    planning = cloud_of(cloud).planning(location, "dev", machine)
    cloud_of(cloud).plan(spec, planning)
    return told([*planning.config_problems, *planning.problems])
