"""EFA traffic is allowed between the nodes of a training pool."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.aws.machines import READS as MACHINES
from gpucluster.policies.clouds.aws.machines import AwsMachines
from gpucluster.policies.clouds.aws.pools import training_pools
from gpucluster.policies.clouds.aws.security_groups import SecurityGroups, open_to_itself, security_groups_of
from gpucluster.policies.rule import CannotTell, Finding, Stack, Violation
from gpucluster.program.resources import UNKNOWN, Resource, Resources

FIX: Final = (
    "Give the security group of the EFA interfaces an ingress and an egress rule with protocol `-1` whose other end is "
    "the group itself (referencedSecurityGroupId); 0.0.0.0/0 egress does not match EFA, which is not IP, but keep it "
    "beside it."
)
READS: Final = f"{MACHINES}, aws:ec2/securityGroup:SecurityGroup and its rules"


def check(stack: Stack) -> Iterator[Finding]:
    for pool in training_pools(stack.resources):
        for machines in pool:
            yield from _of_machines(machines, stack.resources)


def _of_machines(machines: AwsMachines, resources: Resources) -> Iterator[Finding]:
    if machines.template is UNKNOWN:
        return  # reported for all rules that need it
    if machines.interfaces is UNKNOWN:
        yield CannotTell(machines.resource, "the security groups of its EFA interfaces are unknown")
        return
    if not isinstance(machines.template, Resource):
        return  # no interface has EFA, as fabric-interfaces-complete reports
    told: set[str] = set()
    for interface in machines.interfaces:
        if not interface.efa:
            continue
        finding = _of_interface(machines, security_groups_of(interface, machines.template, resources), resources)
        if finding is not None and finding.what not in told:
            told.add(finding.what)
            yield finding


def _of_interface(machines: AwsMachines, groups: SecurityGroups, resources: Resources) -> Violation | CannotTell | None:
    closed = {group.name: open_to_itself(group, resources) for group in groups.made}
    perhaps = {group.name: open_to_itself(group, resources) for group in groups.perhaps}
    if any(not directions for directions in closed.values()):
        return None
    half_open = {name: directions[0] for name, directions in closed.items() if len(directions) == 1}
    if half_open:
        lacking = ", ".join(f"`{name}` lacks {direction}" for name, direction in half_open.items())
        return machines.finding(
            f"the security group of the EFA interfaces allows traffic from itself in one direction only: {lacking}"
        )
    if any(not directions for directions in perhaps.values()):
        names = ", ".join(f"`{name}`" for name in perhaps)
        return CannotTell(machines.resource, f"which of {names} its EFA interfaces have is not known yet")
    if groups.others or not (closed or perhaps):
        # Often the group that EKS creates: open to itself for EFA since Kubernetes 1.33 (eksctl pull request 8509).
        return CannotTell(machines.resource, "a security group of its EFA interfaces is not part of this stack")
    names = ", ".join(f"`{name}`" for name in (*closed, *perhaps))
    return machines.finding(f"no security group of the EFA interfaces allows all traffic from and to itself: {names}")
