"""Public IPv4 addresses that EC2 gives machines by itself: no resource declares them, and each is billed."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.ec2_machines import LAUNCH_TEMPLATE
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Count
from gpucluster.cost.pricing import Pricing
from gpucluster.program.resources import UNKNOWN, Resource
from gpucluster.program.values import is_list

_SUBNETS: Final = {"aws:ec2/subnet:Subnet": False, "aws:ec2/defaultSubnet:DefaultSubnet": True}
"""Type of a subnet -> whether it gives machines a public address when it says nothing of it (EC2 API,
LaunchConfiguration and CreateNetworkInterface: a default subnet does, any other does not)."""

_USAGE: Final = "public_ipv4_addresses"

_OWN: Final = (("aws:ec2/eip:Eip", "instance"), ("aws:ec2/eipAssociation:EipAssociation", "instanceId"))
"""Elastic IPs take the place of the address that a machine has, and are priced by themselves."""


def ipv4_lines(
    item: Pricing, count: Count, *, subnets: str, template: Pricing | None = None, vpc_is_default: bool = False
) -> Iterator[CostLine]:
    """An address for each machine that gets one, since 2024-02-01 (VPC price page).

    subnets: input that names the subnets. template: what is asked of the machines' interfaces, where that is not `ask`.
    vpc_is_default: whether machines without a named subnet lie in the default VPC.
    """
    asked = _asked(template or item)
    each, said = _by_subnets(item, subnets, vpc_is_default) if asked is None else (Decimal(asked), "")
    if each == 0 or _has_elastic_ip(item):
        return
    usage = ()
    if each is None:
        each, said = item.assumptions.amount(_USAGE), item.assumptions.said(_USAGE)
        usage = (_USAGE,)
    hours = count.times(each * HOURS_PER_MONTH)
    yield item.line(
        "Public IPv4 address" if count.expected * each == 1 else "Public IPv4 addresses",
        hours.expected,
        item.price("public-ipv4-hour", "hour"),
        basis=f"{plain(count.expected * each)} x {HOURS_PER_MONTH} h",
        assumption=said,
        floor=hours.floor,
        ceiling=hours.ceiling,
        usage=usage,
    )


def _has_elastic_ip(item: Pricing) -> bool:
    return any(
        item.resources.referred(found, prop, item.resource.type) is item.resource
        for type_, prop in _OWN
        for found in item.resources.of_type(type_)
    )


def _asked(item: Pricing) -> bool | None:
    """What an instance, launch configuration or launch template says itself; None where that is left to the subnet."""
    asked = item.get("associatePublicIpAddress")
    if item.resource.type == LAUNCH_TEMPLATE and item.items("networkInterfaces"):
        asked = item.get("networkInterfaces", 0, "associatePublicIpAddress")
    return None if asked is None else str(asked).lower() == "true"


def _by_subnets(item: Pricing, prop: str, vpc_is_default: bool) -> tuple[Decimal | None, str]:
    """(addresses of each machine by its subnets, each of which takes as many machines; what is assumed); None where
    that is not known.
    """
    named = item.resource.inputs.get(prop)
    if named is None:
        said = f"{prop} is not set: subnets of the default VPC, where machines get a public IPv4 address"
        return (Decimal(1), said) if vpc_is_default else (Decimal(0), "")
    made = [one for one in item.resources.present(item.resource.dependencies.get(prop, ())) if one.type in _SUBNETS]
    least = len(named) if is_list(named) else 1
    if len(made) < least:
        return None, ""
    return Decimal(sum(map(_gives, made))) / len(made), ""


def _gives(subnet: Resource) -> bool:
    given = subnet.inputs.get("mapPublicIpOnLaunch")
    return _SUBNETS[subnet.type] if given is None or given is UNKNOWN else str(given).lower() == "true"
