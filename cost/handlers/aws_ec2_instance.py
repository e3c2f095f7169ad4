"""Single EC2 machines and their disks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.handlers.aws_public_ipv4 import ipv4_lines
from gpucluster.cost.handlers.disks import disk_lines
from gpucluster.cost.handlers.ebs import AMI_ROOT_GIB, default_root, disk_at
from gpucluster.cost.handlers.ec2_machines import LAUNCH_TEMPLATE, reservation_of
from gpucluster.cost.handlers.open_reservations import machine_lines
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.reserved_capacity import reserved
from gpucluster.cost.handlers.stopped import instance_is_stopped, say_stopped
from gpucluster.cost.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing

_ONE = Decimal(1)


@prices("aws:ec2/instance:Instance")
def instance(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """One machine all month, and the EBS volumes and public address declared with it (EC2 and VPC price pages).

    Linux is assumed: the machine image, which decides the operating system, says nothing in a plan. A stopped machine
    is billed for its disks only; capacity reserved elsewhere that it names is billed all the same.
    """
    found = item.resources.referred(item.resource, "launchTemplate", LAUNCH_TEMPLATE)
    if item.resource.inputs.get("instanceType") is not None:
        machine = item.text("instanceType")
    elif found is not None:
        machine = item.of(found).text("instanceType")
    else:
        raise CannotPrice("instanceType is not set, and its launch template is not part of this stack")
    target, one, region = reservation_of(item), Count.fixed(_ONE), place_of(item, subnets="subnetId")
    stopped = instance_is_stopped(item.resources, item.resource)
    if stopped:
        say_stopped(item, reserved=target is not None)
    market = item.text("instanceMarketOptions", "marketType", default="on-demand")
    if stopped and not isinstance(target, str):
        pass
    elif item.text("tenancy", default="default") != "default":
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
    else:
        yield from default_root(item, one, region=region, gib=AMI_ROOT_GIB)
    for index in range(len(item.items("ebsBlockDevices"))):
        disk = disk_at(item, "ebsBlockDevices", index)
        yield from disk_lines(item, disk, one, what="data disk", region=region)
    template = None if found is None or item.get("associatePublicIpAddress") is not None else item.of(found)
    if not stopped:
        yield from ipv4_lines(item, one, subnets="subnetId", template=template, vpc_is_default=True)
