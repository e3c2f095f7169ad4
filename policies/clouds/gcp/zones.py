"""The zones of node pools."""

from __future__ import annotations

from gpucluster.policies.clouds.gcp.pools import NodePool, training_pools
from gpucluster.program.resources import UNKNOWN, Resources, Unknown


def pool_zones(resources: Resources) -> set[str | Unknown]:
    """The possible zones of training pool nodes."""
    return {zone for pool in training_pools(resources) for nodes in pool for zone in _of(nodes)}


def _of(nodes: NodePool) -> set[str | Unknown]:
    return {UNKNOWN} if nodes.zones.names is UNKNOWN else {*nodes.zones.names}
