"""Nodes that train together are not taken back one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.pools import NODE_GROUP, AwsMachines, training_pools
from gpucluster.policies.rule import Finding, Stack
from gpucluster.program.resources import Resource
from gpucluster.program.values import text

__all__ = ["FIX", "READS", "check"]

FIX: Final = (
    "Take on-demand capacity, a reservation or a capacity block (capacityType ON_DEMAND or CAPACITY_BLOCK); keep "
    "spot for pools of independent jobs."
)
READS: Final = (
    "aws:eks/nodeGroup:NodeGroup, aws:autoscaling/group:Group, aws:ec2/instance:Instance, "
    "aws:ec2/launchTemplate:LaunchTemplate"
)


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for machines in pool:
            if _on_spot(machines):
                yield machines.finding(f"{machines.label} on spot capacity")


def _on_spot(machines: AwsMachines) -> bool:
    if machines.resource.type == NODE_GROUP:
        return text(machines.resource.inputs, "capacityType") == "SPOT"
    holders = (machines.resource, machines.template)
    markets = [text(of.inputs, "instanceMarketOptions", "marketType") for of in holders if isinstance(of, Resource)]
    return "spot" in markets
