"""EFA traffic may pass between the nodes of a training pool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cost.resources import UNKNOWN, Resources
from policies.clouds.aws.security_groups import open_to_itself, security_groups_of
from policies.clouds.aws.training_pools import TrainingPool, training_pools
from policies.rule import CannotTell, Finding, Severity, Stack, StackRule

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        yield from _aws(pool, stack.resources)


def _aws(pool: TrainingPool, resources: Resources) -> Iterator[Finding]:
    if pool.template is UNKNOWN or pool.template is None or pool.interfaces is UNKNOWN:
        return  # fabric-interfaces-complete has said so
    if not any(interface.efa for interface in pool.interfaces):
        return
    groups = security_groups_of(pool.template, resources)
    closed = {group.name: open_to_itself(group, resources) for group in groups.made}
    if any(not directions for directions in closed.values()):
        return
    half_open = {name: directions[0] for name, directions in closed.items() if len(directions) == 1}
    if half_open:
        lacking = ", ".join(f"`{name}` lacks {direction}" for name, direction in half_open.items())
        yield pool.finding(f"the security group of the EFA interfaces is open to itself one way only: {lacking}")
    elif groups.others or not groups.made:
        # Often the group EKS makes: open to itself for EFA since Kubernetes 1.33 (eksctl pull request 8509).
        yield CannotTell(pool.node_group, "a security group of its EFA interfaces is not made by this stack")
    else:
        names = ", ".join(f"`{name}`" for name in closed)
        yield pool.finding(f"no security group of the EFA interfaces is open to itself: {names}")


RULE: Final = StackRule(
    name="fabric-traffic-allowed",
    title="The security group of EFA interfaces allows all traffic with itself, in and out",
    why="EFA traffic is not IP: an egress rule for 0.0.0.0/0 does not match it, TCP works, and NCCL hangs in its first "
    "all-reduce.",
    fix="Give the security group an ingress and an egress rule with protocol `-1` whose other end is the group itself "
    "(referencedSecurityGroupId), and keep 0.0.0.0/0 egress beside it.",
    reads="aws:ec2/launchTemplate:LaunchTemplate, aws:ec2/securityGroup:SecurityGroup and its rules",
    severity=Severity.CRITICAL,
    check=check,
)
