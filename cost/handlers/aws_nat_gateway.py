"""NAT gateways."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine
from gpucluster.cost.pricing import Pricing


@prices("aws:ec2/natGateway:NatGateway")
def nat_gateway(item: Pricing) -> Iterator[CostLine]:
    """Hours, and GiB processed (VPC price page, NAT gateway). Its public address is billed with the Elastic IP."""
    yield item.line(
        "NAT gateway", HOURS_PER_MONTH, item.price("nat-gateway-hour", "hour"), basis=f"{HOURS_PER_MONTH} h"
    )
    yield item.by_usage("NAT data processed", "nat_gib", item.price("nat-gateway-data-processed", "GiB"))
