"""Fabric traffic is allowed between the nodes of a training pool."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from gpucluster.core.catalog.fabrics import Fabric
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.aws.networks import SecurityGroups, open_to_itself, security_groups_of
from gpucluster.policies.clouds.gcp import pools as gcp
from gpucluster.policies.clouds.gcp.firewalls import firewalls_of, opening_of
from gpucluster.policies.clouds.gcp.gpu_networks import gpu_networks_of
from gpucluster.policies.clouds.gcp.networks import Entry, entries_of
from gpucluster.policies.clouds.opaque_pools import pool_checks
from gpucluster.policies.clouds.per_cloud import CloudCheck
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation


def _aws(stack: Stack) -> Iterator[Finding]:
    """EFA traffic is allowed between the nodes of a training pool."""
    for machines in chain.from_iterable(aws.training_pools(stack.resources)):
        yield from _of_machines(machines, stack.resources)


def _of_machines(machines: aws.AwsMachines, resources: Resources) -> Iterator[Finding]:
    if machines.template is UNKNOWN:
        return  # reported for all rules that need it
    if machines.interfaces is UNKNOWN:
        yield CannotTell(machines.resource, "the security groups of its EFA interfaces are unknown")
        return
    if not isinstance(machines.template, Resource):
        return  # no interface has EFA, as fabric-interfaces-complete reports
    reported: set[str] = set()
    for interface in machines.interfaces:
        if not interface.efa:
            continue
        finding = _of_interface(machines, security_groups_of(interface, machines.template, resources), resources)
        if finding is not None and finding.what not in reported:
            reported.add(finding.what)
            yield finding


def _of_interface(
    machines: aws.AwsMachines, groups: SecurityGroups, resources: Resources
) -> Violation | CannotTell | None:
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


def _gcp(stack: Stack) -> Iterator[Finding]:
    """GPU traffic is allowed inside its networks."""
    for nodes in chain.from_iterable(gcp.training_pools(stack.resources)):
        entries = entries_of(nodes.declared, stack.resources)
        if nodes.fabric is not None and entries is not UNKNOWN:  # else fabric-interfaces-complete reports it
            yield from _of_nodes(nodes, nodes.fabric, entries, stack.resources)


def _of_nodes(pool: gcp.NodePool, fabric: Fabric, entries: list[Entry], resources: Resources) -> Iterator[Finding]:
    networks = gpu_networks_of(pool, fabric, entries, resources)
    if fabric.kind == "RoCE":
        yield from _roce(pool, networks, resources)
    else:
        yield from _firewalls(pool, networks, resources)
        elsewhere = {entry.network.label for entry in entries if entry.network.resource is None}
        if elsewhere and len(networks) < len(entries):
            named = ", ".join(sorted(elsewhere))
            yield CannotTell(pool.resource, f"the firewall rules of network {named} are not part of this stack")


def _roce(pool: gcp.NodePool, networks: list[Resource], resources: Resources) -> Iterator[Finding]:
    for network in networks:
        rules = ", ".join(f"`{rule.name}`" for rule in firewalls_of(network, resources))
        if rules:
            yield pool.finding(
                f"{pool.label} on RoCE network `{network.name}`, which supports no firewall rules: {rules}"
            )


def _firewalls(pool: gcp.NodePool, networks: list[Resource], resources: Resources) -> Iterator[Finding]:
    closed: dict[tuple[tuple[str, ...], bool], list[str]] = {}
    for network in networks:
        opening = opening_of(network, resources)
        if opening.closed:
            closed.setdefault((opening.closed, opening.certain), []).append(f"`{network.name}`")
    for (protocols, certain), names in closed.items():
        what = f"{', '.join(protocols)} from the subnets of GPU network {', '.join(names)}"
        if certain:
            yield pool.finding(f"{pool.label}; no firewall rule allows {what}")
        else:
            yield CannotTell(pool.resource, f"whether the firewall allows {what} is unknown")


RULE: Final = StackRule(
    name="fabric-traffic-allowed",
    title="Nodes of a training pool allow fabric traffic among themselves",
    why="Without it the nodes start and are billed, other TCP traffic works, and NCCL hangs in its first all-reduce.",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=50,
    **pool_checks(
        aws=CloudCheck(
            check=_aws,
            reads=f"{aws.READS}, aws:ec2/securityGroup:SecurityGroup and its rules",
            fix="Give the security group of the EFA interfaces an ingress and an egress rule with protocol `-1` whose "
            "other end is the group itself (referencedSecurityGroupId); 0.0.0.0/0 egress does not match EFA, which is "
            "not IP, but keep it beside it.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads=f"{gcp.READS}, gcp:compute/network:Network, gcp:compute/subnetwork:Subnetwork, "
            "gcp:compute/firewall:Firewall",
            fix="Give every GPU VPC of A3 High and A3 Mega a firewall rule that allows tcp, udp and icmp from its own "
            "subnets, and a RoCE VPC none: it allows its own traffic and supports no rules.",
        ),
        template=True,
    ),
)
