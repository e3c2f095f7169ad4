"""Zones of the training pools of a stack, on every cloud."""

from __future__ import annotations

from collections.abc import Callable

from gpucluster.catalog.clouds import modules_of
from gpucluster.policies.clouds.hidden import hidden_pools
from gpucluster.program.resources import UNKNOWN, Resources, Unknown


def pool_zones(resources: Resources) -> set[str] | Unknown:
    """Their zones; UNKNOWN while one of them is."""
    found: set[str | Unknown] = set()
    for _, cloud in modules_of("gpucluster.policies.clouds.{cloud}.zones"):
        zones: Callable[[Resources], set[str | Unknown]] = cloud.pool_zones
        found |= zones(resources)
    return (
        UNKNOWN
        if UNKNOWN in found or any(hidden_pools(resources))
        else {zone for zone in found if isinstance(zone, str)}
    )
