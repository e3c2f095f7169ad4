"""Nodes of one training pool stand in one zone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cost.resources import UNKNOWN, Resource, Resources, Unknown
from policies.clouds.aws.training_pools import TrainingPool, training_pools
from policies.frameworks import AWS_PLACEMENT
from policies.reading import items, text
from policies.rule import CannotTell, Finding, Severity, Stack, StackRule

__all__ = ["RULE"]

_SUBNET: Final = "aws:ec2/subnet:Subnet"


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        yield from _aws(pool, stack.resources)


def _aws(pool: TrainingPool, resources: Resources) -> Iterator[Finding]:
    made = [
        subnet
        for urn in dict.fromkeys(pool.node_group.dependencies.get("subnetIds", ()))
        if (subnet := resources.get(urn)) is not None and subnet.type == _SUBNET
    ]
    given = items(pool.node_group.inputs, "subnetIds")
    subnets = len(made) if given is UNKNOWN else max(len(given), len(made))
    if given is UNKNOWN and not made:
        yield CannotTell(pool.node_group, "its subnets are not known yet")
    if subnets < 2:
        return
    zones = _zones(made)
    known = sorted(zone for zone in zones if isinstance(zone, str))
    if len(known) > 1:
        yield pool.finding(f"{pool.label} over {subnets} subnets in {len(known)} zones: {', '.join(known)}")
    elif UNKNOWN in zones or len(made) < subnets:
        yield CannotTell(pool.node_group, f"the zones of its {subnets} subnets are not all known")


def _zones(subnets: list[Resource]) -> set[str | Unknown]:
    """Their zones, by name where all have one, else by id: the two are not comparable."""
    names = {text(subnet.inputs, "availabilityZone") for subnet in subnets}
    ids = {text(subnet.inputs, "availabilityZoneId") for subnet in subnets}
    best = next((zones for zones in (names, ids) if all(isinstance(zone, str) for zone in zones)), names)
    return {UNKNOWN if zone is None else zone for zone in best}


RULE: Final = StackRule(
    name="training-pool-in-one-zone",
    title="Nodes of one training pool stand in one zone",
    why="EFA does not leave its zone: nodes in two zones talk TCP, or do not find each other at all, and traffic "
    "between zones is billed.",
    fix="Give the node group one subnet (subnetIds), in the zone of its placement group or reservation.",
    reads="aws:eks/nodeGroup:NodeGroup, aws:ec2/subnet:Subnet",
    severity=Severity.CRITICAL,
    frameworks=(AWS_PLACEMENT,),
    check=check,
)
