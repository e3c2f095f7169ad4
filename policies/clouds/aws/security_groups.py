"""Security groups of a network interface, and whether one allows all traffic with itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cost.resources import UNKNOWN, Resource, Resources
from policies.clouds.aws.interfaces import Interface
from policies.reading import at, flag, items, text

__all__ = ["SecurityGroups", "open_to_itself", "security_groups_of"]

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
    made: those this stack makes and the interface surely carries.
    perhaps: those this stack makes and the interface may carry some of.
    others: whether there are more, known by id only.
    """

    made: tuple[Resource, ...]
    perhaps: tuple[Resource, ...]
    others: bool


def security_groups_of(interface: Interface, template: Resource, resources: Resources) -> SecurityGroups:
    """The groups of one interface of a launch template.

    A template says from which groups its interfaces take ids, but not which interface from which. Before the update
    the id of a group made here is unknown, so an interface with as many unknown ids as there are such groups carries
    them all; with fewer it carries some of them.
    """
    urns = dict.fromkeys(template.dependencies.get("networkInterfaces", ()))
    every = [group for urn in urns if (group := resources.get(urn)) is not None and group.type == _GROUP]
    if interface.security_groups is UNKNOWN:
        return SecurityGroups(made=(), perhaps=tuple(every), others=True)
    ids = {group for group in interface.security_groups if isinstance(group, str)}
    named = [group for group in every if at(group.outputs, "id") in ids]
    open_ = [group for group in every if not isinstance(at(group.outputs, "id"), str)]
    unknown = sum(1 for group in interface.security_groups if group is UNKNOWN)
    all_carried = unknown >= len(open_)
    elsewhere = len(ids) > len(named) or unknown > len(open_) or not interface.security_groups
    return SecurityGroups(
        made=(*named, *open_) if all_carried else tuple(named),
        perhaps=() if all_carried or not (unknown or elsewhere) else tuple(open_),
        others=elsewhere,
    )


def open_to_itself(group: Resource, resources: Resources) -> list[str]:
    """Directions in which a group does not allow all traffic with itself; empty when it does both ways."""
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
