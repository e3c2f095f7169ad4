"""Reserved capacity of managed node groups.

Sources: Amazon EKS user guide, "Use Capacity Blocks for ML with managed node groups" and "Customize managed nodes with
launch templates"; Amazon EC2 user guide, "On-Demand Capacity Reservations" and "Launch instances into Capacity
Reservations in a group".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.aws.model import ManagedResource, refused, rule
from gpucluster.sandbox.clouds.aws.rules.cluster import template_of, zones_of
from gpucluster.sandbox.clouds.store.ledger import Entry

_NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
_RESERVATION: Final = "aws:ec2/capacityReservation:CapacityReservation"
_GROUP: Final = "aws:resourcegroups/group:Group"
_MEMBER: Final = "aws:resourcegroups/resource:Resource"


@rule(_NODE_GROUP)
def capacity_block_is_in_the_template(managed: ManagedResource) -> None:
    """A group of capacity type CAPACITY_BLOCK needs a template with the market, the block and the machine type."""
    template = template_of(managed, managed.inputs)
    market = mapping(template.inputs.get("instanceMarketOptions")).get("marketType") if template else None
    if managed.inputs.get("capacityType") != "CAPACITY_BLOCK":
        if market == "capacity-block":
            raise _refused(managed, "Launch template market type capacity-block needs capacity type CAPACITY_BLOCK")
        return
    if template is None or market != "capacity-block":
        raise _refused(managed, "Capacity type CAPACITY_BLOCK needs a launch template with market type capacity-block")
    if not _target(template).get("capacityReservationId"):
        raise _refused(
            managed,
            "Capacity type CAPACITY_BLOCK needs a capacity reservation target in the launch template, by its id",
        )
    if not template.inputs.get("instanceType"):
        raise _refused(managed, "Capacity type CAPACITY_BLOCK needs an instance type in the launch template")


@rule(_NODE_GROUP)
def capacity_block_lies_in_one_zone(managed: ManagedResource) -> None:
    """A capacity block is in one zone, and the group uses only subnets of that zone."""
    if managed.inputs.get("capacityType") == "CAPACITY_BLOCK":
        zones = zones_of(managed, items(managed.inputs["subnetIds"]))
        if len(zones) > 1:
            raise _refused(
                managed, f"Capacity block node groups need subnets of one zone, not {', '.join(sorted(zones))}"
            )


@rule(_NODE_GROUP)
def reservation_fits_the_group(managed: ManagedResource) -> None:
    """A targeted reservation provides machines of its type, in its zone, and only in its own placement group.

    Reservations that the account got outside the sandbox are unknown here and not checked.
    """
    template = template_of(managed, managed.inputs)
    found = managed.other(_RESERVATION, _target(template).get("capacityReservationId")) if template else None
    if template is None or found is None:
        return
    requested, held = template.inputs.get("instanceType"), found.inputs["instanceType"]
    if requested is not None and requested != held:
        raise _launch_failed(managed, f"{found.id} holds {held}, not {requested}")
    zones, zone = zones_of(managed, items(managed.inputs["subnetIds"])), found.inputs["availabilityZone"]
    if zones != {zone}:
        raise _launch_failed(managed, f"{found.id} is in {zone}, the subnets are in {', '.join(sorted(zones))}")
    group = mapping(template.inputs.get("placement")).get("groupName")
    arn = str(found.inputs.get("placementGroupArn") or "")
    if group is not None and not arn.endswith(f"/{group}"):
        message = f"{found.id} was not created in the placement group {group}: InsufficientInstanceCapacity"
        raise _launch_failed(managed, message)


@rule(_NODE_GROUP)
def template_leaves_eks_its_fields(managed: ManagedResource) -> None:
    """A launch template of a node group sets no subnet and no instance profile: EKS sets them."""
    template = template_of(managed, managed.inputs)
    if template is None:
        return
    if template.inputs.get("iamInstanceProfile"):
        raise _refused(
            managed, "Launch template should not specify an instance profile: the node role is in the request"
        )
    if any(mapping(item).get("subnetId") for item in items(template.inputs.get("networkInterfaces"))):
        raise _refused(managed, "Launch template should not specify subnets")


@rule(_NODE_GROUP)
def resource_group_holds_the_machines(managed: ManagedResource) -> None:
    """A targeted resource group is of the region and for reservations. Where launches may not become on demand, its
    reservations in the zone hold the machines, together.

    Groups that the account got outside the sandbox are unknown here, except for their region.
    """
    template = template_of(managed, managed.inputs)
    arn = None if template is None else _target(template).get("capacityReservationResourceGroupArn")
    if template is None or not arn:
        return
    if str(arn).split(":")[3:4] != [managed.region]:
        raise _launch_failed(managed, f"InvalidCapacityReservationResourceGroup.NotFound: {arn} is not in the region")
    group = next((one for one in managed.others(_GROUP, arn) if one.outputs.get("arn") == arn), None)
    if group is None:
        return
    kinds = [mapping(one).get("type") for one in items(group.inputs.get("configurations"))]
    if "AWS::EC2::CapacityReservationPool" not in kinds:
        raise _launch_failed(managed, f"{arn} has no configuration AWS::EC2::CapacityReservationPool")
    specification = mapping(template.inputs.get("capacityReservationSpecification"))
    if specification.get("capacityReservationPreference") != "capacity-reservations-only":
        return
    requested, zones = template.inputs.get("instanceType"), zones_of(managed, items(managed.inputs["subnetIds"]))
    members = {one.inputs.get("resourceArn") for one in managed.others(_MEMBER, arn)}
    held = sum(
        int(one.inputs["instanceCount"])
        for one in managed.others(_RESERVATION)
        if one.outputs["arn"] in members
        and one.inputs["instanceType"] == requested
        and one.inputs["availabilityZone"] in zones
    )
    wanted = int(mapping(managed.inputs["scalingConfig"])["desiredSize"])
    if wanted > held:
        raise _launch_failed(
            managed, f"ReservationCapacityExceeded: {arn} holds {held} x {requested} in {', '.join(sorted(zones))}"
        )


def _target(template: Entry) -> Mapping[str, Any]:
    specification = mapping(template.inputs.get("capacityReservationSpecification"))
    return mapping(specification.get("capacityReservationTarget"))


def _refused(managed: ManagedResource, message: str) -> Exception:
    return refused(managed, "EKS: CreateNodegroup", 400, "InvalidParameterException", message)


def _launch_failed(managed: ManagedResource, message: str) -> Exception:
    return refused(managed, "EKS: CreateNodegroup", 400, "NodeCreationFailure", f"AsgInstanceLaunchFailures: {message}")
