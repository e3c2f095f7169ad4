"""GPUs of the training pools of a stack, on every cloud."""

from __future__ import annotations

from gpucluster.policies.clouds.hidden import hidden_pools
from gpucluster.policies.clouds.pools import cloud_pools
from gpucluster.program.resources import UNKNOWN, Resources, Unknown

_OF_A_NODE = 8
"""GPUs of every machine type in a training pool here."""


def training_gpus(resources: Resources) -> int | Unknown:
    """Their number, including spares; UNKNOWN while a number of nodes is."""
    nodes = [
        machines.nodes
        for cloud in cloud_pools().values()
        for pool in cloud.training_pools(resources)
        for machines in pool
        if machines.surely_on_fabric
    ]
    if any(hidden_pools(resources)):
        return UNKNOWN
    known = [count for count in nodes if isinstance(count, int)]
    return UNKNOWN if len(known) < len(nodes) else sum(known) * _OF_A_NODE
