"""Zones in which the training pools of a stack stand, on every cloud."""

from __future__ import annotations

from gpucluster.policies.clouds.aws import training_pools as aws
from gpucluster.policies.clouds.aws.zones import zones_of
from gpucluster.policies.clouds.azure import agent_pools as azure
from gpucluster.policies.clouds.gcp import node_pools as gcp
from gpucluster.program.resources import UNKNOWN, Resources, Unknown
from gpucluster.program.values import items

__all__ = ["pool_zones"]


def pool_zones(resources: Resources) -> set[str] | Unknown:
    """Their zones; UNKNOWN while one is."""
    found: set[str | Unknown] = set()
    for pool in aws.training_pools(resources):
        for machines in pool:
            found |= zones_of(machines.resource, resources)
    for google in gcp.training_pools(resources):
        for nodes in google:
            found |= {UNKNOWN} if nodes.zones.names is UNKNOWN else set(nodes.zones.names)
    for microsoft in azure.training_pools(resources):
        for nodes in microsoft:
            listed = items(nodes.written.inputs, "availabilityZones")
            found |= {UNKNOWN} if listed is UNKNOWN else {zone if isinstance(zone, str) else UNKNOWN for zone in listed}
    return UNKNOWN if UNKNOWN in found else {zone for zone in found if isinstance(zone, str)}
