"""Nodes of one training pool stand in one zone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from cost.resources import UNKNOWN, Resource, Resources, Unknown
from policies.clouds.aws.training_pools import INSTANCE, NODE_GROUP, SCALING_GROUP, AwsMachines, training_pools
from policies.machines import label_of
from policies.reading import at, items, text
from policies.rule import CannotTell, Finding, Stack

__all__ = ["FIX", "READS", "check"]

FIX: Final = (
    "Give all machines of the pool one subnet (subnetIds of node groups), in the zone of their placement group or "
    "reservation. Nodes that do not train together: give their node groups different labels `gpucluster/pool`."
)
READS: Final = (
    "aws:eks/nodeGroup:NodeGroup, aws:autoscaling/group:Group, aws:ec2/instance:Instance, aws:ec2/subnet:Subnet"
)

_SUBNET: Final = "aws:ec2/subnet:Subnet"


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        yield from _of_pool(pool, stack.resources)


def _of_pool(pool: tuple[AwsMachines, ...], resources: Resources) -> Iterator[Finding]:
    made: dict[str, Resource] = {}
    elsewhere: set[str] = set()
    named: set[str | Unknown] = set()
    nameless = 0
    for machines in pool:
        own, given = _subnets(machines.resource, resources)
        made.update({subnet.urn: subnet for subnet in own})
        if given is UNKNOWN:
            if not own:
                yield CannotTell(machines.resource, "its subnets are not known yet")
            continue
        if not given and machines.resource.type != NODE_GROUP:
            named |= _own_zones(machines.resource)
        if len(given) > len(own):
            ids = {at(subnet.outputs, "id") for subnet in own}
            foreign = [subnet for subnet in given if isinstance(subnet, str) and subnet not in ids]
            elsewhere.update(foreign)
            nameless += max(len(given) - len(own) - len(foreign), 0)
    subnets = len(made) + len(elsewhere) + nameless
    zones = (_zones(list(made.values())) if made else set[str | Unknown]()) | named
    known = sorted(zone for zone in zones if isinstance(zone, str))
    if len(known) > 1:
        over = f"over {subnets} subnets " if subnets else ""
        yield pool[0].finding(f"{label_of(pool)} {over}in {len(known)} zones: {', '.join(known)}")
    elif subnets > 1 and (UNKNOWN in zones or len(made) < subnets):
        yield CannotTell(pool[0].resource, f"the zones of its {subnets} subnets are not all known")
    elif UNKNOWN in named or (named and subnets):
        yield CannotTell(pool[0].resource, f"the zones of {label_of(pool)} are not all known")


def _subnets(resource: Resource, resources: Resources) -> tuple[list[Resource], list[Any] | Unknown]:
    """(the subnets that this stack makes, all that are given)"""
    prop = {NODE_GROUP: "subnetIds", SCALING_GROUP: "vpcZoneIdentifiers"}.get(resource.type, "subnetId")
    made = [
        subnet
        for urn in dict.fromkeys(resource.dependencies.get(prop, ()))
        if (subnet := resources.get(urn)) is not None and subnet.type == _SUBNET
    ]
    if resource.type != INSTANCE:
        return made, items(resource.inputs, prop)
    subnet = at(resource.inputs, prop)
    return made, [] if subnet is None else [subnet]


def _own_zones(resource: Resource) -> set[str | Unknown]:
    """Zones that an instance or Auto Scaling group without subnets names; UNKNOWN where AWS or a template chooses."""
    if resource.type == INSTANCE:
        zone = text(resource.inputs, "availabilityZone")
        return {UNKNOWN if zone is None else zone}
    zones = items(resource.inputs, "availabilityZones")
    return {UNKNOWN} if zones is UNKNOWN or not zones else {z if isinstance(z, str) else UNKNOWN for z in zones}


def _zones(subnets: list[Resource]) -> set[str | Unknown]:
    """Their zones, by name where all have one, else by id: the two are not comparable."""
    names = {text(subnet.inputs, "availabilityZone") for subnet in subnets}
    ids = {text(subnet.inputs, "availabilityZoneId") for subnet in subnets}
    best = next((zones for zones in (names, ids) if all(isinstance(zone, str) for zone in zones)), names)
    return {UNKNOWN if zone is None else zone for zone in best}
