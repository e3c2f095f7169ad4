"""The zones of machines, by their subnets."""

from __future__ import annotations

from typing import Any, Final

from gpucluster.policies.clouds.aws.pools import INSTANCE, NODE_GROUP, SCALING_GROUP, training_pools
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import at, items, text

__all__ = ["own_zones", "pool_zones", "subnet_zones", "subnets_of", "zones_of"]

_SUBNET: Final = "aws:ec2/subnet:Subnet"
_PROPERTIES: Final = {NODE_GROUP: "subnetIds", SCALING_GROUP: "vpcZoneIdentifiers", INSTANCE: "subnetId"}


def pool_zones(resources: Resources) -> set[str | Unknown]:
    """Where the machines of training pools may stand."""
    return {
        zone
        for pool in training_pools(resources)
        for machines in pool
        for zone in zones_of(machines.resource, resources)
    }


def zones_of(machines: Resource, resources: Resources) -> set[str | Unknown]:
    """Where they may stand."""
    made, given = subnets_of(machines, resources)
    hidden = given is UNKNOWN or len(given) > len(made)
    if not made and given is not UNKNOWN and not given and machines.type != NODE_GROUP:
        return own_zones(machines)
    found = subnet_zones(made) if made else set[str | Unknown]()
    return {*found, UNKNOWN} if hidden else found


def subnets_of(machines: Resource, resources: Resources) -> tuple[list[Resource], list[Any] | Unknown]:
    """(the subnets that this stack makes, all that are given)"""
    prop = _PROPERTIES[machines.type]
    made = [
        subnet
        for urn in dict.fromkeys(machines.dependencies.get(prop, ()))
        if (subnet := resources.get(urn)) is not None and subnet.type == _SUBNET
    ]
    if machines.type != INSTANCE:
        return made, items(machines.inputs, prop)
    subnet = at(machines.inputs, prop)
    return made, [] if subnet is None else [subnet]


def own_zones(machines: Resource) -> set[str | Unknown]:
    """Zones that an instance or Auto Scaling group without subnets names; UNKNOWN where AWS or a template chooses."""
    if machines.type == INSTANCE:
        zone = text(machines.inputs, "availabilityZone")
        return {UNKNOWN if zone is None else zone}
    zones = items(machines.inputs, "availabilityZones")
    return {UNKNOWN} if zones is UNKNOWN or not zones else {z if isinstance(z, str) else UNKNOWN for z in zones}


def subnet_zones(subnets: list[Resource]) -> set[str | Unknown]:
    """Their zones, by name where all have one, else by id: the two are not comparable."""
    names = {text(subnet.inputs, "availabilityZone") for subnet in subnets}
    ids = {text(subnet.inputs, "availabilityZoneId") for subnet in subnets}
    best = next((zones for zones in (names, ids) if all(isinstance(zone, str) for zone in zones)), names)
    return {UNKNOWN if zone is None else zone for zone in best}
