"""Security groups of a launch template, and whether one allows all traffic with itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cost.resources import UNKNOWN, Resource, Resources
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
    made: those this stack makes.
    others: whether there are more, known by id only.
    """

    made: tuple[Resource, ...]
    others: bool


def security_groups_of(template: Resource, resources: Resources) -> SecurityGroups:
    """The groups on the interfaces of a launch template that carry EFA."""
    urns = dict.fromkeys(template.dependencies.get("networkInterfaces", ()))
    made = tuple(group for urn in urns if (group := resources.get(urn)) is not None and group.type == _GROUP)
    entries = items(template.inputs, "networkInterfaces")
    named = [] if entries is UNKNOWN else [items(entry, "securityGroups") for entry in entries]
    if entries is UNKNOWN or any(groups is UNKNOWN for groups in named):
        return SecurityGroups(made=made, others=True)
    # The id of a group made here is unknown before the update and an id like any other after it, so that only the
    # number of groups tells whether there is one more than those made here.
    lists = [groups for groups in named if groups is not UNKNOWN]
    longest = max((len(groups) for groups in lists), default=0)
    ids = {group for groups in lists for group in groups if isinstance(group, str)}
    unknown = any(group is UNKNOWN for groups in lists for group in groups)
    return SecurityGroups(made=made, others=max(longest, len(ids) + unknown) > len(made))


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
