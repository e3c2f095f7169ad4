"""The zones of machines, by their subnets."""

from __future__ import annotations

from typing import Any, Final

from gpucluster.policies.clouds.aws.machines import FLEET, INSTANCE, NODE_GROUP, SCALING_GROUP
from gpucluster.policies.clouds.aws.pools import training_pools
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import at, items, text

_SUBNET: Final = "aws:ec2/subnet:Subnet"
_PROPERTIES: Final = {
    NODE_GROUP: "subnetIds",
    SCALING_GROUP: "vpcZoneIdentifiers",
    FLEET: "launchTemplateConfigs",
    INSTANCE: "subnetId",
}


def pool_zones(resources: Resources) -> set[str | Unknown]:
    """The possible zones of training pools."""
    return {
        zone
        for pool in training_pools(resources)
        for machines in pool
        for zone in zones_of(machines.resource, resources)
    }


def zones_of(machines: Resource, resources: Resources) -> set[str | Unknown]:
    """The possible zones of machines."""
    made, given = subnets_of(machines, resources)
    hidden = given is UNKNOWN or len(given) > len(made)
    if not made and given is not UNKNOWN and not given and machines.type != NODE_GROUP:
        return own_zones(machines)
    found = subnet_zones(made) if made else set[str | Unknown]()
    return {*found, UNKNOWN} if hidden else found


def subnets_of(machines: Resource, resources: Resources) -> tuple[list[Resource], list[Any] | Unknown]:
    """(subnets in this stack, all given subnets)"""
    prop = _PROPERTIES[machines.type]
    behind = resources.present(machines.dependencies.get(prop, ()))
    made = [found for found in behind if found.type == _SUBNET]
    if machines.type == FLEET:
        named = _in_overrides(machines, "subnetId")
        return made, named if named is UNKNOWN else [subnet for subnet in named if subnet is not None]
    if machines.type != INSTANCE:
        return made, items(machines.inputs, prop)
    subnet = at(machines.inputs, prop)
    return made, [] if subnet is None else [subnet]


def own_zones(machines: Resource) -> set[str | Unknown]:
    """Zones named by a resource without subnets, except a node group; UNKNOWN if AWS or a template chooses."""
    if machines.type == INSTANCE:
        zone = text(machines.inputs, "availabilityZone")
        return {UNKNOWN if zone is None else zone}
    of_fleet = machines.type == FLEET
    zones = _in_overrides(machines, "availabilityZone") if of_fleet else items(machines.inputs, "availabilityZones")
    return {UNKNOWN} if zones is UNKNOWN or not zones else {z if isinstance(z, str) else UNKNOWN for z in zones}


def _in_overrides(fleet: Resource, name: str) -> list[Any] | Unknown:
    """The value of a name in each override of a fleet, None if missing."""
    configs = items(fleet.inputs, _PROPERTIES[FLEET])
    listed = UNKNOWN if configs is UNKNOWN else [items(config, "overrides") for config in configs]
    if listed is UNKNOWN or UNKNOWN in listed:
        return UNKNOWN
    return [at(entry, name) for entries in listed if entries is not UNKNOWN for entry in entries]


def subnet_zones(subnets: list[Resource]) -> set[str | Unknown]:
    """Their zones, by name if all have one, else by id: the two are not comparable."""
    names = {text(subnet.inputs, "availabilityZone") for subnet in subnets}
    ids = {text(subnet.inputs, "availabilityZoneId") for subnet in subnets}
    best = next((zones for zones in (names, ids) if all(isinstance(zone, str) for zone in zones)), names)
    return {UNKNOWN if zone is None else zone for zone in best}
