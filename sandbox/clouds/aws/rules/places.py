"""Services that are not available in a place: control planes, kinds of Lustre, managed Prometheus, machines.

Sources: `gpucluster.core.catalog.aws_regions` and `gpucluster.core.catalog.machines`; Amazon EKS API, CreateCluster
(UnsupportedAvailabilityZoneException); awslabs/awsome-distributed-ai, hyperpod on Local Zones (text of FSx).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.catalog.aws_regions import aws_regions, local_zone_lustre, sold_in
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.aws.model import ManagedResource, refused, rule
from gpucluster.sandbox.clouds.aws.rules.cluster import template_of
from gpucluster.sandbox.clouds.store.ledger import Entry

_BASIC: Final = (125, 250)
"""MB/s per TiB of PERSISTENT_2 where it is available without EFA."""


@rule("aws:eks/cluster:Cluster")
def control_plane_zones_are_supported(managed: ManagedResource) -> None:
    """Not available in some old zones, nor in a Local Zone."""
    ids = items(mapping(managed.inputs["vpcConfig"]).get("subnetIds"))
    region = aws_regions().get(managed.region)
    for subnet in _subnets(managed, ids):
        zone = subnet.outputs["availabilityZone"]
        bad = region is not None and subnet.outputs["availabilityZoneId"] in region.without_eks
        if bad or _is_local(subnet):
            message = (
                f"Cannot create cluster '{managed.name}' because {zone}, the targeted availability zone, does not "
                "currently have sufficient capacity to support the cluster."
            )
            raise refused(managed, "EKS: CreateCluster", 400, "UnsupportedAvailabilityZoneException", message)


@rule("aws:fsx/lustreFileSystem:LustreFileSystem")
def lustre_is_of_a_kind_that_the_zone_has(managed: ManagedResource) -> None:
    """PERSISTENT_2 is available in some regions and Local Zones, in some of them without its fast tiers and EFA."""
    if managed.previous or managed.inputs.get("deploymentType") != "PERSISTENT_2":
        return
    sold = _lustre(managed)
    tier, efa = managed.inputs.get("perUnitStorageThroughput"), managed.inputs.get("efaEnabled") is True
    if sold == "persistent_1" or (sold == "persistent_2_basic" and (efa or tier not in _BASIC)):
        message = "The requested Lustre configuration: PERSISTENT_2 is not available in this availability zone."
        raise refused(managed, "FSx: CreateFileSystem", 400, "BadRequest", message)


def _lustre(managed: ManagedResource) -> str:
    """The kinds available in its place; empty if unknown."""
    for subnet in _subnets(managed, [str(managed.inputs.get("subnetIds"))]):
        if _is_local(subnet):
            return local_zone_lustre(str(subnet.outputs["availabilityZoneId"])) or "persistent_1"
    region = aws_regions().get(managed.region)
    return "" if region is None else region.lustre


@rule("aws:amp/workspace:Workspace", "aws:amp/scraper:Scraper")
def prometheus_is_there(managed: ManagedResource) -> None:
    """A region may lack workspaces, or their collectors."""
    region = aws_regions().get(managed.region)
    needed = ("collector",) if "scraper" in managed.token else ("collector", "workspace")
    if region is not None and region.prometheus not in needed:
        kind = managed.token.rsplit(":", 1)[-1]
        message = f"{kind} is not available in {region.name}"
        raise refused(managed, f"amp: Create{kind}", 400, "ValidationException", message)


@rule("aws:eks/nodeGroup:NodeGroup")
def the_zone_has_the_machine(managed: ManagedResource) -> None:
    """Compares zone ids, which are the same in every account: the mapping of zone names is invented here."""
    template = template_of(managed, managed.inputs)
    machine = template.inputs.get("instanceType") if template is not None else None
    if machine is None or managed.region not in aws_regions():
        return
    zones = sold_in(str(machine), managed.region)
    for subnet in _subnets(managed, items(managed.inputs["subnetIds"])):
        requested = subnet.inputs.get("availabilityZoneId")
        if zones and requested and not _is_local(subnet) and not {requested, managed.region} & set(zones):
            message = (
                f"AsgInstanceLaunchFailures: Your requested instance type ({machine}) is not supported in your "
                f"requested Availability Zone ({subnet.outputs['availabilityZone']})."
            )
            raise refused(managed, "EKS: CreateNodegroup", 400, "NodeCreationFailure", message)


def _subnets(managed: ManagedResource, ids: list[str]) -> Iterator[Entry]:
    found = (managed.other("aws:ec2/subnet:Subnet", id_) for id_ in ids)
    return (subnet for subnet in found if subnet is not None)


def _is_local(subnet: Entry) -> bool:
    """Whether it is in a Local Zone: its name has a place between region and letter."""
    return str(subnet.outputs["availabilityZone"]).count("-") > str(subnet.scope).count("-")
