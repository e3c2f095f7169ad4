"""The zones of node pools."""

from __future__ import annotations

from gpucluster.policies.clouds.azure.pools import AgentPool, training_pools
from gpucluster.program.resources import UNKNOWN, Resources, Unknown
from gpucluster.program.values import items


def pool_zones(resources: Resources) -> set[str | Unknown]:
    """The possible zones of training pool nodes."""
    return {zone for pool in training_pools(resources) for nodes in pool for zone in _of(nodes)}


def _of(nodes: AgentPool) -> set[str | Unknown]:
    listed = items(nodes.written.inputs, "availabilityZones")
    return {UNKNOWN} if listed is UNKNOWN else {zone if isinstance(zone, str) else UNKNOWN for zone in listed}
