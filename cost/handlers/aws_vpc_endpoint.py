"""VPC endpoints."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Free
from gpucluster.cost.pricing import CannotPrice, Pricing


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
