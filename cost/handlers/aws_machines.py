"""Single EC2 machines and their disks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.cost.handlers.aws_network import ipv4_lines
from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.handlers.aws_storage import AMI_ROOT_GIB, Disk, default_root, disk_at, mapped_disks
from gpucluster.cost.handlers.disks import disk_lines
from gpucluster.cost.handlers.ec2_types import MachineType, lines_of_types, machines_for, monitoring_lines, types_in
from gpucluster.cost.handlers.open_reservations import machine_lines
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.reserved_capacity import LAUNCH_TEMPLATE, reservation_of, reserved
from gpucluster.cost.handlers.whole_machines import instance_is_stopped, or_named, plain, say_stopped
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number, read

_ONE = Decimal(1)


@prices("aws:ec2/instance:Instance")
def instance(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """One machine all month, and the EBS volumes and public address declared with it (EC2 and VPC price pages).

    Linux is assumed: the machine image, which decides the operating system, says nothing in a plan. A stopped machine
    is billed for its disks only; capacity that it names and that is reserved outside the stack is billed as well.
    """
    found = item.resources.referred(item.resource, "launchTemplate", LAUNCH_TEMPLATE)
    if item.resource.inputs.get("instanceType") is not None:
        machine = item.text("instanceType")
    elif found is not None:
        machine = item.of(found).text("instanceType")
    else:
        raise CannotPrice("instanceType is not set, and its launch template is not part of this stack")
    target, one, region = reservation_of(item), Count.fixed(_ONE), place_of(item, subnets="subnetId")
    if target is None and found is not None and item.get("capacityReservationSpecification") is None:
        target = reservation_of(item.of(found))
    stopped = instance_is_stopped(item.resources, item.resource)
    if stopped:
        say_stopped(item, reserved=target is not None)
    market = _set_by(item, found, ("instanceMarketOptions", "marketType"), default="on-demand")
    if stopped and not isinstance(target, str):
        pass
    elif _tenancy(item, found) != "default":
        yield item.not_priced("tenancy is not shared: the price book has shared tenancy only")
    elif target is not None:
        yield from reserved(item, machine, _ONE, target, block=market == "capacity-block", region=region)
    elif market in ("on-demand", "spot"):
        yield from machine_lines(item, machine, one, market.replace("-", "_"), region=region, assumption="Linux")
    else:
        yield item.not_priced(f"instanceMarketOptions.marketType is {market!r} without a reservation to bill it")

    if item.get("rootBlockDevice") is not None:
        yield from disk_lines(
            item, disk_at(item, "rootBlockDevice", gib=AMI_ROOT_GIB), one, what="root disk", region=region
        )
    elif found is not None:
        yield from mapped_disks(item.of(found), one, region=region, gib=AMI_ROOT_GIB)
    else:
        yield from default_root(item, one, region=region, gib=AMI_ROOT_GIB)
    for index in range(len(item.items("ebsBlockDevices"))):
        disk = disk_at(item, "ebsBlockDevices", index)
        yield from disk_lines(item, disk, one, what="data disk", region=region)
    template = None if found is None or item.get("associatePublicIpAddress") is not None else item.of(found)
    if not stopped:
        yield from ipv4_lines(item, one, subnets="subnetId", template=template, vpc_is_default=True)
        lines = monitoring_lines(item, one, region=region, template=None if found is None else item.of(found))
        yield from or_named(item, lines, what="detailed monitoring")


def _set_by(item: Pricing, template: Resource | None, path: tuple[str, ...], *, default: str) -> str:
    """A text of a machine, else of its launch template."""
    otherwise = default if template is None else item.of(template).text(*path, default=default)
    return item.text(*path, default=otherwise)


def _tenancy(item: Pricing, template: Resource | None) -> str:
    path, default = ("placement", "tenancy"), "default"
    return item.text("tenancy", default=default if template is None else item.of(template).text(*path, default=default))


_CONFIGURATION: Final = "aws:ec2/launchConfiguration:LaunchConfiguration"
_TEMPLATES: Final = (("launchTemplate", LAUNCH_TEMPLATE), ("mixedInstancesPolicy", LAUNCH_TEMPLATE),
                     ("launchConfiguration", _CONFIGURATION))  # fmt: skip
_MIX: Final = ("mixedInstancesPolicy", "instancesDistribution")


@prices("aws:autoscaling/group:Group")
def group(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """`desiredCapacity` machines all month, within minSize and maxSize, and the EBS volumes of each (EC2 price pages).

    A group has no separate price. Linux is assumed. A mix is priced as its first machine type, and what is
    above the on-demand base is divided as the policy says (Auto Scaling user guide, mixed instances groups).
    """
    found = next(((prop, entry) for prop, type_ in _TEMPLATES
                  if (entry := item.resources.referred(item.resource, prop, type_)) is not None), None)  # fmt: skip
    if found is None:
        raise CannotPrice("its launch template or configuration is not part of this stack")
    template = item.of(found[1])
    types, place = _types(item, template), place_of(item, subnets="vpcZoneIdentifiers")
    count = _count(item)
    for number, purchase in _shares(item, template, count):
        yield from or_named(item, lines_of_types(item, types, number, purchase, region=place), compute=True)
    count = machines_for(count, types[0])
    yield from _warm_pool(item, template, types[0], count, place)
    if found[1].type == LAUNCH_TEMPLATE:
        yield from mapped_disks(template, count, region=place, gib=AMI_ROOT_GIB)
    elif template.get("rootBlockDevice") is not None:
        disk = disk_at(template, "rootBlockDevice", gib=AMI_ROOT_GIB)
        yield from disk_lines(item, disk, count, what="root disks", region=place)
    else:
        yield from default_root(item, count, region=place, gib=AMI_ROOT_GIB)
    yield from ipv4_lines(item, count, subnets="vpcZoneIdentifiers", template=template, vpc_is_default=True)
    yield from or_named(item, monitoring_lines(template, count, region=place), what="detailed monitoring")


def _count(item: Pricing) -> Count:
    least, most = item.number("minSize"), item.number("maxSize")
    desired = least if item.get("desiredCapacity") is None else item.number("desiredCapacity")
    return Count(desired, min(least, desired), max(most, desired))


def _types(item: Pricing, template: Pricing) -> Sequence[MachineType]:
    path = ("mixedInstancesPolicy", "launchTemplate", "overrides")
    return types_in(item, path, template) or [MachineType(template.text("instanceType"))]


def _warm_pool(
    item: Pricing, template: Pricing, type_: MachineType, count: Count, region: str
) -> Iterator[CostLine | NotPriced]:
    """Machines that wait beside a group: billed while they run, else for their disks (Auto Scaling user guide, warm
    pools). The pool holds what is left up to its prepared capacity, by default the group's maximum.
    """
    if item.get("warmPool") is None:
        return
    limit = item.get("warmPool", "maxGroupPreparedCapacity")
    most = count.ceiling if isinstance(count.ceiling, Decimal) else count.expected
    prepared = most if limit in (None, -1) else as_number(limit, "warmPool.maxGroupPreparedCapacity")
    size = max(item.number("warmPool", "minSize", default=0), prepared - count.expected)
    state, waiting = item.text("warmPool", "poolState", default="Stopped"), Count.fixed(size)
    if state == "Running":
        lines = machine_lines(item, type_.name, waiting, "on_demand", region=region, assumption="Linux; its warm pool")
        yield from or_named(item, lines, what="warm pool", compute=True)
    elif state == "Hibernated":
        yield item.not_priced("warm pool: the memory that hibernated machines keep on their disks")
    if template.resource.type == LAUNCH_TEMPLATE:
        yield from mapped_disks(template, waiting, region=region, gib=AMI_ROOT_GIB)


def _shares(item: Pricing, template: Pricing, count: Count) -> Iterator[tuple[Count, str]]:
    """(machines, how they are bought)."""
    if item.get("mixedInstancesPolicy") is None:
        market = template.get("instanceMarketOptions", "marketType")
        spot = market == "spot" or template.get("spotPrice") is not None
        yield count, "spot" if spot else "on_demand"
        return
    base = item.number(*_MIX, "onDemandBaseCapacity", default=0)
    share = item.number(*_MIX, "onDemandPercentageAboveBaseCapacity", default=100) / 100

    def on_demand(number: Decimal) -> Decimal:
        return min(number, base) + max(number - base, Decimal(0)) * share

    most = count.ceiling if isinstance(count.ceiling, Decimal) else count.expected
    owned = Count(on_demand(count.expected), on_demand(count.floor), on_demand(most))
    spot = Count(count.expected - owned.expected, count.floor - owned.floor, most - on_demand(most))
    for number, purchase in ((owned, "on_demand"), (spot, "spot")):
        if number.ceiling:
            yield number, purchase


@prices("aws:eks/nodeGroup:NodeGroup")
def node_group(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """`scalingConfig.desiredSize` machines all month, within minSize and maxSize, and the EBS volumes of each.

    A node group has no separate price (EKS price page). The machine type is in the launch template or on the
    group. Capacity blocks and reservations are billed where they are bought (EC2 user guide, Capacity Reservations).
    """
    nodes, unknown = _nodes(item)
    for bound in unknown:
        yield item.not_priced(f"scalingConfig.{bound} is not known before the update: assumed equal to desiredSize")
    reference = item.resource.inputs.get("launchTemplate")
    found = item.resources.referred(item.resource, "launchTemplate", LAUNCH_TEMPLATE)
    template, place = None if found is None else item.of(found), place_of(item, subnets="subnetIds")
    types, assumption = _types_of_nodes(item, template)
    machine = types[0].name
    if item.text("amiType", default="AL2023").startswith("WINDOWS"):
        raise CannotPrice("amiType is Windows: the price book has Linux prices only")

    target = None if template is None else reservation_of(template)
    capacity = item.text("capacityType", default="ON_DEMAND")
    market = None if template is None else template.get("instanceMarketOptions", "marketType")
    if target is not None:
        nodes = Count.fixed(nodes.expected)  # a reservation holds no more, and is billed for no fewer
        block = capacity == "CAPACITY_BLOCK" or market == "capacity-block"
        yield from reserved(item, machine, nodes.expected, target, block=block, region=place)
    elif capacity in ("ON_DEMAND", "SPOT"):
        yield from lines_of_types(item, types, nodes, capacity.lower(), region=place, note=assumption)
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
    if template is not None:
        yield from or_named(item, monitoring_lines(template, nodes, region=place), what="detailed monitoring")
    if item.get("warmPoolConfig") is not None:
        yield item.not_priced(
            "warmPoolConfig: machines that wait beside the group, billed while they run", compute=True
        )


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


def _types_of_nodes(item: Pricing, template: Pricing | None) -> tuple[Sequence[MachineType], str]:
    """(machine types, what had to be assumed)."""
    if template is not None and template.resource.inputs.get("instanceType") is not None:
        return [MachineType(template.text("instanceType"))], ""
    names = [item.text("instanceTypes", index) for index in range(len(item.items("instanceTypes")))]
    if not names:
        if template is None and item.resource.inputs.get("launchTemplate") is not None:
            raise CannotPrice("its machine type is set by a launch template that is not part of this stack")
        return [MachineType("t3.medium")], "no machine type is declared: t3.medium, the default of EKS"
    return [MachineType(name) for name in names], ""


@prices("aws:ec2/capacityReservation:CapacityReservation")
def capacity_reservation(item: Pricing) -> Iterator[CostLine]:
    """Reserved machines at the on-demand rate, used or not (EC2 user guide, Capacity Reservation billing)."""
    platform = item.text("instancePlatform", default="Linux/UNIX")
    if platform != "Linux/UNIX":
        raise CannotPrice(f"instancePlatform is {platform!r}: the price book has Linux/UNIX prices only")
    count, machine = item.number("instanceCount"), item.text("instanceType")
    yield item.line(
        f"{plain(count)} x {machine} reserved, on demand",
        count * HOURS_PER_MONTH,
        item.price(machine, "instance-hour", region=place_of(item)),
        basis=f"{plain(count)} x {HOURS_PER_MONTH} h",
        assumption="a reservation is billed whether used or not",
    )


@prices("aws:ec2/capacityBlockReservation:CapacityBlockReservation")
def capacity_block(item: Pricing) -> Iterator[NotPriced]:
    """The fee belongs to one offering and is paid upfront; the offering's id does not tell it (EC2 API)."""
    offering = item.resource.inputs.get("capacityBlockOfferingId")
    shown = repr(offering) if isinstance(offering, str) else "not known before the update"
    yield item.not_priced(f"capacity block: the fee is that of its offering ({shown}), paid upfront")
