"""Public IPv4 addresses."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.core.program.values import is_list
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.reserved_capacity import LAUNCH_TEMPLATE
from gpucluster.cost.handlers.usage_lines import egress_lines
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Count, Free
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing


@prices("aws:ec2/eip:Eip")
def elastic_ip(item: Pricing) -> Iterator[CostLine]:
    """An hour of one public IPv4 address, in use (also on a NAT gateway) or idle (VPC price page, since 2024-02-01)."""
    price = item.price("public-ipv4-hour", "hour")
    yield item.line("Public IPv4 address", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")


@prices("aws:ec2/natGateway:NatGateway")
def nat_gateway(item: Pricing) -> Iterator[CostLine]:
    """Hours, and GiB processed (VPC price page, NAT gateway). Its public address is billed with the Elastic IP."""
    yield item.line(
        "NAT gateway", HOURS_PER_MONTH, item.price("nat-gateway-hour", "hour"), basis=f"{HOURS_PER_MONTH} h"
    )
    yield item.by_usage("NAT data processed", "nat_gib", item.price("nat-gateway-data-processed", "GiB"))


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

    subnets: input that names the subnets. template: configures the machines' interfaces, if not `item`.
    vpc_is_default: whether machines without a named subnet lie in the default VPC.
    """
    asked = _asked(template or item)
    each, assumption = _by_subnets(item, subnets, vpc_is_default) if asked is None else (Decimal(asked), "")
    if each == 0 or _has_elastic_ip(item):
        return
    usage = ()
    if each is None:
        each, assumption = item.assumptions.amount(_USAGE), item.assumptions.text(_USAGE)
        usage = (_USAGE,)
    hours = count.times(each * HOURS_PER_MONTH)
    yield item.line(
        "Public IPv4 address" if count.expected * each == 1 else "Public IPv4 addresses",
        hours.expected,
        item.price("public-ipv4-hour", "hour"),
        basis=f"{plain(count.expected * each)} x {HOURS_PER_MONTH} h",
        assumption=assumption,
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
    """(addresses of each machine by its subnets, each of which takes as many machines; assumption); None where
    that is not known.
    """
    named = item.resource.inputs.get(prop)
    if named is None:
        assumption = f"{prop} is not set: subnets of the default VPC, where machines get a public IPv4 address"
        return (Decimal(1), assumption) if vpc_is_default else (Decimal(0), "")
    made = [one for one in item.resources.present(item.resource.dependencies.get(prop, ())) if one.type in _SUBNETS]
    least = len(named) if is_list(named) else 1
    if len(made) < least:
        return None, ""
    return Decimal(sum(map(_gives, made))) / len(made), ""


def _gives(subnet: Resource) -> bool:
    given = subnet.inputs.get("mapPublicIpOnLaunch")
    return _SUBNETS[subnet.type] if given is None or given is UNKNOWN else str(given).lower() == "true"


_ENDS: Final = 2
"""A GiB that crosses zones is billed where it leaves and where it arrives (EC2 price page, data transfer)."""


@prices("aws:ec2/internetGateway:InternetGateway")
def internet_gateway(item: Pricing) -> Iterator[CostLine]:
    """GiB to the internet (`egress_gib`; EC2 price page, data transfer); else no charge."""
    yield from egress_lines(item, region=item.region)


@prices("aws:ec2/vpc:Vpc")
def vpc(item: Pricing) -> Iterator[CostLine]:
    """GiB between zones (`inter_zone_gib`), billed at both ends (EC2 price page, data transfer); else no charge."""
    gib, note = item.assumptions.amount("inter_zone_gib"), item.assumptions.text("inter_zone_gib")
    yield item.line("Data between zones", gib * _ENDS, item.price("inter-az", "GiB"),
                   basis=f"{_ENDS} x {gib.normalize():,f} GiB", assumption=note, usage=("inter_zone_gib",))  # fmt: skip


@prices("aws:ec2/vpcEndpoint:VpcEndpoint")
def vpc_endpoint(item: Pricing) -> Iterator[CostLine | Free]:
    """Gateway endpoints are free; interface endpoints are billed by zone-hour and by GiB (PrivateLink price page)."""
    kind = item.text("vpcEndpointType", default="Gateway")
    if kind == "Gateway":
        yield item.free("gateway endpoints have no charge", "https://aws.amazon.com/privatelink/pricing/")
        return
    if kind != "Interface":
        raise CannotPrice(f"vpcEndpointType is {kind!r}; priced are Gateway and Interface")
    subnets = item.items("subnetIds")
    if not subnets:
        raise CannotPrice("subnetIds is not set: an interface endpoint is billed by zone")
    zones = Decimal(len(subnets))  # a subnet lies in one zone, and an endpoint takes one subnet per zone
    hours = item.price("vpc-endpoint-interface-hour", "hour")
    yield item.line("Interface endpoint", zones * HOURS_PER_MONTH, hours, basis=f"{zones} x {HOURS_PER_MONTH} h")
    yield item.by_usage("Interface endpoint data", "endpoint_gib", item.price("vpc-endpoint-interface-data", "GiB"))
