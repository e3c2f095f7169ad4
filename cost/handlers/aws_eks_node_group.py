"""EKS managed node groups: machines and their disks."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.handlers.aws_public_ipv4 import ipv4_lines
from gpucluster.cost.handlers.disks import disk_lines
from gpucluster.cost.handlers.ebs import Disk, default_root, mapped_disks
from gpucluster.cost.handlers.ec2_machines import LAUNCH_TEMPLATE, reservation_of
from gpucluster.cost.handlers.open_reservations import machine_lines
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.reserved_capacity import reserved
from gpucluster.cost.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing, as_number, read
from gpucluster.program.resources import UNKNOWN


@prices("aws:eks/nodeGroup:NodeGroup")
def node_group(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """`scalingConfig.desiredSize` machines all month, within minSize and maxSize, and the EBS volumes of each.

    A node group has no price of its own (EKS price page). The machine type stands in the launch template or on the
    group. Capacity blocks and reservations are billed where they are bought (EC2 user guide, Capacity Reservations).
    """
    nodes, unknown = _nodes(item)
    for bound in unknown:
        yield item.not_priced(f"scalingConfig.{bound} is not known before the update: assumed equal to desiredSize")
    reference = item.resource.inputs.get("launchTemplate")
    found = item.resources.referred(item.resource, "launchTemplate", LAUNCH_TEMPLATE)
    template, place = None if found is None else item.of(found), place_of(item, subnets="subnetIds")
    machine, assumption = _machine(item, template)
    if item.text("amiType", default="AL2023").startswith("WINDOWS"):
        raise CannotPrice("amiType is Windows: the price book has Linux prices only")

    target = None if template is None else reservation_of(template)
    capacity = item.text("capacityType", default="ON_DEMAND")
    if target is not None:
        nodes = Count.fixed(nodes.expected)  # a reservation holds no more, and is billed for no fewer
        yield from reserved(item, machine, nodes.expected, target, block=capacity == "CAPACITY_BLOCK", region=place)
    elif capacity in ("ON_DEMAND", "SPOT"):
        yield from machine_lines(item, machine, nodes, capacity.lower(), region=place, assumption=assumption)
    elif capacity == "CAPACITY_BLOCK":
        yield item.not_priced("capacityType is CAPACITY_BLOCK, but its launch template targets no reservation")
    else:
        yield item.not_priced(f"capacityType is {capacity!r}; priced are ON_DEMAND, SPOT and CAPACITY_BLOCK")

    if template is not None:
        yield from mapped_disks(template, nodes, region=place)
    elif reference is not None:
        yield item.not_priced("disks: its launch template is not part of this stack")
    elif item.get("diskSize") is not None:
        disk = Disk("gp3", item.number("diskSize"))
        yield from disk_lines(item, disk, nodes, what="root disks", region=place)
    else:
        yield from default_root(item, nodes, region=place)
    yield from ipv4_lines(item, nodes, subnets="subnetIds", template=template)


def _nodes(item: Pricing) -> tuple[Count, list[str]]:
    """(nodes as expected, at the least and the most; bounds that are not known yet)."""
    desired = item.number("scalingConfig", "desiredSize")
    bounds = {"minSize": desired, "maxSize": desired}
    unknown: list[str] = []
    for key in bounds:
        value = read(item.resource.inputs, "scalingConfig", key)
        if value is UNKNOWN:
            unknown.append(key)
        elif value is not None:
            bounds[key] = as_number(value, f"scalingConfig.{key}")
    return Count(desired, min(bounds["minSize"], desired), max(bounds["maxSize"], desired)), unknown


def _machine(item: Pricing, template: Pricing | None) -> tuple[str, str]:
    """(machine type, what had to be assumed)."""
    if template is not None and template.resource.inputs.get("instanceType") is not None:
        return template.text("instanceType"), ""
    types = item.items("instanceTypes")
    if not types:
        if template is None and item.resource.inputs.get("launchTemplate") is not None:
            raise CannotPrice("its machine type is set by a launch template that is not part of this stack")
        return "t3.medium", "no machine type is declared: t3.medium, the default of EKS"
    first = item.text("instanceTypes", 0)
    return first, f"priced as {first}, the first of {len(types)} machine types" if len(types) > 1 else ""
