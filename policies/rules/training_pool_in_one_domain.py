"""Nodes of one training pool stand close together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cost.resources import UNKNOWN, Resources
from policies.clouds.aws.placement import Group, group_of, reservation_of
from policies.clouds.aws.training_pools import TrainingPool, training_pools
from policies.frameworks import AWS_PLACEMENT
from policies.reading import text
from policies.rule import CannotTell, Finding, Severity, Stack, StackRule

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        yield from _aws(pool, stack.resources)


def _aws(pool: TrainingPool, resources: Resources) -> Iterator[Finding]:
    if pool.template is UNKNOWN:
        yield pool.template_not_visible()
        return
    nowhere = f"{pool.label}, no placement group and no reservation"
    if pool.template is None:
        yield pool.finding(f"{nowhere}: the group has no launch template")
        return
    group, reservation = group_of(pool.template, resources), reservation_of(pool.template, resources)
    if isinstance(group, Group):
        yield from _cluster_strategy(pool, group)
    elif reservation is None and group is None:
        yield pool.finding(nowhere)
    elif reservation is None or reservation is UNKNOWN:
        yield CannotTell(pool.node_group, "the placement of its launch template is not known yet")


def _cluster_strategy(pool: TrainingPool, group: Group) -> Iterator[Finding]:
    if group.resource is None:
        named = "the placement group" if group.name is UNKNOWN else f"placement group `{group.name}`"
        yield CannotTell(pool.node_group, f"{named} is not part of this stack, nor is its strategy")
        return
    strategy = text(group.resource.inputs, "strategy")
    if strategy is UNKNOWN:
        yield CannotTell(pool.node_group, f"the strategy of placement group `{group.resource.name}` is not known yet")
    elif strategy != "cluster":
        yield pool.finding(
            f"{pool.label} in placement group `{group.resource.name}`, whose strategy is `{strategy}`",
            fix="Set the strategy of the placement group to `cluster`.",
        )


RULE: Final = StackRule(
    name="training-pool-in-one-domain",
    title="Nodes of one training pool share a co-location domain",
    why="Nodes in different parts of the data centre lose the fabric's bandwidth: every all-reduce waits, and the GPUs "
    "being paid for with it.",
    fix="Make a placement group with strategy `cluster` and name it in the launch template (placement.groupName), or "
    "target a reservation or capacity block there (capacityReservationSpecification), which is placed already.",
    reads="aws:eks/nodeGroup:NodeGroup, aws:ec2/launchTemplate:LaunchTemplate, aws:ec2/placementGroup:PlacementGroup",
    severity=Severity.CRITICAL,
    frameworks=(AWS_PLACEMENT,),
    check=check,
)
