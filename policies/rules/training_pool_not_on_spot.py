"""Nodes that train together are not taken back one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cost.resources import Resource
from policies.clouds.aws.training_pools import NODE_GROUP, Machines, training_pools
from policies.reading import text
from policies.rule import Finding, Severity, Stack, StackRule

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for machines in pool:
            if _on_spot(machines):
                yield machines.finding(f"{machines.label} on spot capacity")


def _on_spot(machines: Machines) -> bool:
    if machines.resource.type == NODE_GROUP:
        return text(machines.resource.inputs, "capacityType") == "SPOT"
    holders = (machines.resource, machines.template)
    markets = [text(of.inputs, "instanceMarketOptions", "marketType") for of in holders if isinstance(of, Resource)]
    return "spot" in markets


RULE: Final = StackRule(
    name="training-pool-not-on-spot",
    title="Nodes of a training pool are not spot machines",
    why="EC2 takes a spot machine back with two minutes' notice, and a job over several nodes stops with the first of "
    "them: all the others are paid for while it starts again from its checkpoint.",
    fix="Take on-demand capacity, a reservation or a capacity block (capacityType ON_DEMAND or CAPACITY_BLOCK); keep "
    "spot for pools of independent jobs.",
    reads="aws:eks/nodeGroup:NodeGroup, aws:autoscaling/group:Group, aws:ec2/instance:Instance, "
    "aws:ec2/launchTemplate:LaunchTemplate",
    severity=Severity.MEDIUM,
    check=check,
)
