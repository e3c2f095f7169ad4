"""Nodes of one training pool are in one zone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.machines import NODE_GROUP, AwsMachines
from gpucluster.policies.clouds.aws.machines import READS as MACHINES
from gpucluster.policies.clouds.aws.pools import training_pools
from gpucluster.policies.clouds.aws.zones import own_zones, subnet_zones, subnets_of
from gpucluster.policies.machines import label_of
from gpucluster.policies.rule import CannotTell, Finding, Stack
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import at

FIX: Final = (
    "Give all machines of the pool one subnet (subnetIds of node groups), in the zone of their placement group or "
    "reservation. If nodes do not train together, give their node groups different labels `gpucluster/pool`."
)
READS: Final = f"{MACHINES}, aws:ec2/subnet:Subnet"


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        yield from _of_pool(pool, stack.resources)


def _of_pool(pool: tuple[AwsMachines, ...], resources: Resources) -> Iterator[Finding]:
    made: dict[str, Resource] = {}
    elsewhere: set[str] = set()
    named: set[str | Unknown] = set()
    nameless = 0
    for machines in pool:
        own, given = subnets_of(machines.resource, resources)
        made.update({subnet.urn: subnet for subnet in own})
        if given is UNKNOWN:
            if not own:
                yield CannotTell(machines.resource, "its subnets are not known yet")
            continue
        if not given and machines.resource.type != NODE_GROUP:
            named |= own_zones(machines.resource)
        if len(given) > len(own):
            ids = {at(subnet.outputs, "id") for subnet in own}
            foreign = [subnet for subnet in given if isinstance(subnet, str) and subnet not in ids]
            elsewhere.update(foreign)
            nameless += max(len(given) - len(own) - len(foreign), 0)
    subnets = len(made) + len(elsewhere) + nameless
    zones = (subnet_zones(list(made.values())) if made else set[str | Unknown]()) | named
    known = sorted(zone for zone in zones if isinstance(zone, str))
    if len(known) > 1:
        over = f"over {subnets} subnets " if subnets else ""
        yield pool[0].finding(f"{label_of(pool)} {over}in {len(known)} zones: {', '.join(known)}")
    elif subnets > 1 and (UNKNOWN in zones or len(made) < subnets):
        yield CannotTell(pool[0].resource, f"the zones of its {subnets} subnets are not all known")
    elif UNKNOWN in named or (named and subnets):
        yield CannotTell(pool[0].resource, f"the zones of {label_of(pool)} are not all known")
