"""Public IPv4 addresses."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine
from gpucluster.cost.pricing import Pricing


@prices("aws:ec2/eip:Eip")
def elastic_ip(item: Pricing) -> Iterator[CostLine]:
    """An hour of one public IPv4 address, in use (also on a NAT gateway) or idle (VPC price page, since 2024-02-01)."""
    price = item.price("public-ipv4-hour", "hour")
    yield item.line("Public IPv4 address", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")
