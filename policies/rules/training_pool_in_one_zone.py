"""Nodes of one training pool are in one zone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from gpucluster.core.catalog.azure_regions import azure_regions
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at, items
from gpucluster.policies.clouds.aws import pools as aws
from gpucluster.policies.clouds.aws.networks import own_zones, subnet_zones, subnets_of
from gpucluster.policies.clouds.azure import pools as azure
from gpucluster.policies.clouds.gcp import pools as gcp
from gpucluster.policies.clouds.opaque_pools import pool_checks
from gpucluster.policies.clouds.per_cloud import CloudCheck
from gpucluster.policies.clouds.pools import label_of
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, Severity, Stack, StackRule
from gpucluster.policies.frameworks import AWS_PLACEMENT, GKE_PLACEMENT


def _aws(stack: Stack) -> Iterator[Finding]:
    for pool in aws.training_pools(stack.resources):
        yield from _aws_pool(pool, stack.resources)


def _aws_pool(pool: tuple[aws.AwsMachines, ...], resources: Resources) -> Iterator[Finding]:
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
        if not given and machines.resource.type != aws.NODE_GROUP:
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


def _gcp(stack: Stack) -> Iterator[Finding]:
    for pool in gcp.training_pools(stack.resources):
        yield from _gcp_pool(pool)


def _gcp_pool(pool: tuple[gcp.NodePool, ...]) -> Iterator[Finding]:
    named: set[str] = set()
    hidden: list[gcp.NodePool] = []
    for nodes in pool:
        zones = nodes.zones
        if zones.region is not None:
            gke = nodes.declared.managed
            chosen = "GKE chooses: the cluster" if gke else "Compute Engine chooses: the group"
            named_by = "the node pool names" if gke else "it names"
            what = f"{nodes.label} over {zones.count} zones that {chosen} is in region `{zones.region}`"
            yield nodes.finding(f"{what} and {named_by} no zone")
        elif zones.names is UNKNOWN:
            hidden.append(nodes)
        else:
            named.update(zones.names)
    if len(named) > 1:
        yield pool[0].finding(f"{label_of(pool)} in {len(named)} zones: {', '.join(sorted(named))}")
    elif hidden and (len(pool) > 1 or hidden[0].zones.count != 1):
        yield CannotTell(hidden[0].resource, f"the zones of {label_of(hidden)} are not known yet")


def _azure(stack: Stack) -> Iterator[Finding]:
    for nodes in chain.from_iterable(azure.training_pools(stack.resources)):
        region = stack.resources.region(nodes.cluster or nodes.resource)
        if not (isinstance(region, str) and azure_regions().get(region.replace(" ", "").lower()) is False):
            yield from _azure_nodes(nodes)


def _azure_nodes(nodes: azure.AgentPool) -> Iterator[Finding]:
    """Pools of one training pool in different zones are two scale sets, which another rule reports. A region without
    zones is one failure domain.
    """
    zones = items(nodes.declared.inputs, "availabilityZones")
    if zones is UNKNOWN:
        yield CannotTell(nodes.resource, f"the zones of {nodes.label} are not known yet")
    elif not zones:
        yield nodes.finding(f"{nodes.label} without a zone: Azure chooses their zones")
    elif len(zones) > 1:
        named = ", ".join("one not known yet" if zone is UNKNOWN else str(zone) for zone in zones)
        yield nodes.finding(f"{nodes.label} in {len(zones)} zones: {named}")


RULE: Final = StackRule(
    name="training-pool-in-one-zone",
    title="Nodes of one training pool are in one zone",
    why="The GPU fabric does not leave its zone: nodes in two zones use TCP, or do not reach each other at all, and "
    "traffic between zones is billed.",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=20,
    frameworks=(AWS_PLACEMENT, GKE_PLACEMENT),
    **pool_checks(
        aws=CloudCheck(
            check=_aws,
            reads=f"{aws.READS}, aws:ec2/subnet:Subnet",
            fix="Give all machines of the pool one subnet (subnetIds of node groups, vpcZoneIdentifiers of Auto "
            "Scaling groups), in the zone of their placement group or reservation. If nodes do not train "
            "together, give their node groups different labels `gpucluster/pool`.",
        ),
        gcp=CloudCheck(
            check=_gcp,
            reads=gcp.READS,
            fix="Set node_locations of each of its node pools to the one zone of its placement policy or reservation.",
        ),
        azure=CloudCheck(
            check=_azure,
            reads=azure.READS,
            fix="Set availability_zones of the node pool, or zones of the scale set, to one zone that offers the "
            "size; if AKS offers it in no zone of a region that has zones, accept this by an exemption.",
        ),
    ),
)
