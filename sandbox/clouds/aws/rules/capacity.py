"""Reserved capacity of managed node groups.

Sources: Amazon EKS user guide, "Use Capacity Blocks for ML with managed node groups" and "Customize managed nodes with
launch templates"; Amazon EC2 user guide, "On-Demand Capacity Reservations".
"""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.node_group import template_of, zones_of
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.type_guards import items, mapping

_NODE_GROUP: Final = "aws:eks/nodeGroup:NodeGroup"
_RESERVATION: Final = "aws:ec2/capacityReservation:CapacityReservation"


@rule(_NODE_GROUP)
def capacity_block_stands_in_the_template_too(managed: ManagedResource) -> None:
    """A group of capacity type CAPACITY_BLOCK needs a template with the market, the block and the machine type."""
    template = template_of(managed, managed.inputs)
    market = mapping(template.inputs.get("instanceMarketOptions")).get("marketType") if template else None
    if managed.inputs.get("capacityType") != "CAPACITY_BLOCK":
        if market == "capacity-block":
            raise _refused(managed, "Launch template market type capacity-block needs capacity type CAPACITY_BLOCK")
        return
    if template is None or market != "capacity-block":
        raise _refused(managed, "Capacity type CAPACITY_BLOCK needs a launch template with market type capacity-block")
    if not _target(template):
        raise _refused(
            managed, "Capacity type CAPACITY_BLOCK needs a capacity reservation target in the launch template"
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
    found = managed.other(_RESERVATION, _target(template)) if template is not None else None
    if template is None or found is None:
        return
    asked, held = template.inputs.get("instanceType"), found.inputs["instanceType"]
    if asked is not None and asked != held:
        raise _launch_failed(managed, f"{found.id} holds {held}, not {asked}")
    zones, zone = zones_of(managed, items(managed.inputs["subnetIds"])), found.inputs["availabilityZone"]
    if zones != {zone}:
        raise _launch_failed(managed, f"{found.id} is in {zone}, the subnets are in {', '.join(sorted(zones))}")
    group = mapping(template.inputs.get("placement")).get("groupName")
    arn = str(found.inputs.get("placementGroupArn") or "")
    if group is not None and not arn.endswith(f"/{group}"):
        message = f"{found.id} was not created in the placement group {group}: InsufficientInstanceCapacity"
        raise _launch_failed(managed, message)


@rule(_NODE_GROUP)
def template_leaves_to_eks_what_is_its_own(managed: ManagedResource) -> None:
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


def _target(template: Entry) -> object:
    specification = mapping(template.inputs.get("capacityReservationSpecification"))
    target = mapping(specification.get("capacityReservationTarget"))
    return target.get("capacityReservationId") or target.get("capacityReservationResourceGroupArn")


def _refused(managed: ManagedResource, message: str) -> Exception:
    return refused(managed, "EKS: CreateNodegroup", 400, "InvalidParameterException", message)


def _launch_failed(managed: ManagedResource, message: str) -> Exception:
    return refused(managed, "EKS: CreateNodegroup", 400, "NodeCreationFailure", f"AsgInstanceLaunchFailures: {message}")
