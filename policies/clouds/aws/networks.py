"""Subnets of machines with their zones, and the security groups of their interfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at, flag, items, text
from gpucluster.policies.clouds.aws.pools import (
    FLEET,
    INSTANCE,
    NODE_GROUP,
    SCALING_GROUP,
    Interface,
    interfaces,
    training_pools,
)

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


_GROUP: Final = "aws:ec2/securityGroup:SecurityGroup"
_RULES: Final = {
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": "ingress",
    "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule": "egress",
}
_OLD_RULE: Final = "aws:ec2/securityGroupRule:SecurityGroupRule"
_ALL: Final = ("-1", -1, "all")


@dataclass(frozen=True, kw_only=True)
class SecurityGroups:
    """
    made: those in this stack that the interface certainly has.
    perhaps: those in this stack that the interface may have.
    others: whether there are more, known by id only.
    """

    made: tuple[Resource, ...]
    perhaps: tuple[Resource, ...]
    others: bool


def security_groups_of(interface: Interface, template: Resource, resources: Resources) -> SecurityGroups:
    """The groups of one interface of a launch template.

    A template depends on groups for the ids of its interfaces, but not per interface. If all interfaces have the same
    ids, and at least as many as there are groups, each has all groups. If they differ, an id decides; before the update
    it is unknown, and an interface has all or some of the groups, by its number of ids.
    """
    made = resources.present(template.dependencies.get("networkInterfaces", ()))
    every = [group for group in made if group.type == _GROUP]
    given = interface.security_groups
    if given is UNKNOWN:
        return SecurityGroups(made=(), perhaps=tuple(every), others=True)
    listed = interfaces(template)
    alike = listed is not UNKNOWN and all(other.security_groups == given for other in listed)
    if alike and len(given) >= len(every):
        return SecurityGroups(made=tuple(every), perhaps=(), others=len(given) > len(every) or not given)
    ids = {group for group in given if isinstance(group, str)}
    id_of = {group.urn: _id(group, resources) for group in every}
    named = [group for group in every if id_of[group.urn] in ids]
    nameless = [group for group in every if id_of[group.urn] is None]
    unknown = len([group for group in given if group is UNKNOWN])
    others = len(ids) > len(named) or unknown > len(nameless) or not given
    if unknown >= len(nameless):
        return SecurityGroups(made=(*named, *nameless), perhaps=(), others=others)
    return SecurityGroups(made=tuple(named), perhaps=tuple(nameless) if unknown or others else (), others=others)


def _id(group: Resource, resources: Resources) -> str | None:
    """The id of a group in this stack: its own output, which not every source has, or the id that its rules use."""
    own = text(group.outputs, "id")
    if isinstance(own, str):
        return own
    for rule in resources:
        if rule.dependencies.get("securityGroupId") == (group.urn,):
            taken = text(rule.inputs, "securityGroupId")
            return taken if isinstance(taken, str) else None
    return None


def open_to_itself(group: Resource, resources: Resources) -> list[str]:
    """Directions in which a group does not allow all traffic with itself; empty if it allows both."""
    allowed = {direction for direction in ("ingress", "egress") if _inline(group, direction)}
    for rule in resources:
        direction = _RULES.get(rule.type)
        if direction is not None and _all(rule, "ipProtocol"):
            other_end = "referencedSecurityGroupId"
        elif rule.type == _OLD_RULE and _all(rule, "protocol"):
            direction, other_end = text(rule.inputs, "type"), "sourceSecurityGroupId"
        else:
            continue
        on_group = group.urn in rule.dependencies.get("securityGroupId", ())
        to_group = group.urn in rule.dependencies.get(other_end, ()) or flag(rule.inputs, "self") is True
        if on_group and to_group and isinstance(direction, str):
            allowed.add(direction)
    return [direction for direction in ("ingress", "egress") if direction not in allowed]


def _inline(group: Resource, direction: str) -> bool:
    rules = items(group.inputs, direction)
    return rules is not UNKNOWN and any(flag(rule, "self") is True and at(rule, "protocol") in _ALL for rule in rules)


def _all(rule: Resource, protocol: str) -> bool:
    return at(rule.inputs, protocol) in (*_ALL, UNKNOWN)
