"""EC2 Auto Scaling groups: machines and their disks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.aws_place import place_of
from gpucluster.cost.handlers.aws_public_ipv4 import ipv4_lines
from gpucluster.cost.handlers.disks import disk_lines
from gpucluster.cost.handlers.ebs import AMI_ROOT_GIB, default_root, disk_at, mapped_disks
from gpucluster.cost.handlers.ec2_machines import LAUNCH_TEMPLATE
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.open_reservations import machine_lines
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing

_CONFIGURATION: Final = "aws:ec2/launchConfiguration:LaunchConfiguration"
_TEMPLATES: Final = (("launchTemplate", LAUNCH_TEMPLATE), ("mixedInstancesPolicy", LAUNCH_TEMPLATE),
                     ("launchConfiguration", _CONFIGURATION))  # fmt: skip
_MIX: Final = ("mixedInstancesPolicy", "instancesDistribution")


@prices("aws:autoscaling/group:Group")
def group(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """`desiredCapacity` machines all month, within minSize and maxSize, and the EBS volumes of each (EC2 price pages).

    A group has no price of its own. Linux is assumed. Of a mix, the first machine type stands for all, and what is
    above the on-demand base is divided as the policy says (Auto Scaling user guide, mixed instances groups).
    """
    found = next(((prop, entry) for prop, type_ in _TEMPLATES
                  if (entry := item.resources.referred(item.resource, prop, type_)) is not None), None)  # fmt: skip
    if found is None:
        raise CannotPrice("its launch template or configuration is not part of this stack")
    template = item.of(found[1])
    machine, said = _machine(item, template)
    count, place = _count(item), place_of(item, subnets="vpcZoneIdentifiers")
    for number, purchase in _shares(item, template, count):
        yield from or_named(
            item, machine_lines(item, machine, number, purchase, region=place, assumption=said), compute=True
        )
    if found[1].type == LAUNCH_TEMPLATE:
        yield from mapped_disks(template, count, region=place, gib=AMI_ROOT_GIB)
    elif template.get("rootBlockDevice") is not None:
        disk = disk_at(template, "rootBlockDevice", gib=AMI_ROOT_GIB)
        yield from disk_lines(item, disk, count, what="root disks", region=place)
    else:
        yield from default_root(item, count, region=place, gib=AMI_ROOT_GIB)
    yield from ipv4_lines(item, count, subnets="vpcZoneIdentifiers", template=template, vpc_is_default=True)


def _count(item: Pricing) -> Count:
    least, most = item.number("minSize"), item.number("maxSize")
    desired = least if item.get("desiredCapacity") is None else item.number("desiredCapacity")
    return Count(desired, min(least, desired), max(most, desired))


def _machine(item: Pricing, template: Pricing) -> tuple[str, str]:
    """(machine type, what is assumed)."""
    overrides = item.items("mixedInstancesPolicy", "launchTemplate", "overrides")
    if overrides:
        first = item.text("mixedInstancesPolicy", "launchTemplate", "overrides", 0, "instanceType")
        return first, f"Linux; priced as {first}, the first of {len(overrides)} machine types"
    return template.text("instanceType"), "Linux"


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
