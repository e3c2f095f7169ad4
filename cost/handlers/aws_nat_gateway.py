"""NAT gateways."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine
from gpucluster.cost.subject import Subject


@prices("aws:ec2/natGateway:NatGateway")
def nat_gateway(ask: Subject) -> Iterator[CostLine]:
    """Hours, and GiB processed (VPC price page, NAT gateway). Its public address is billed with the Elastic IP."""
    yield ask.line("NAT gateway", HOURS_PER_MONTH, ask.price("nat-gateway-hour", "hour"), basis=f"{HOURS_PER_MONTH} h")
    yield ask.by_usage("NAT data processed", "nat_gib", ask.price("nat-gateway-data-processed", "GiB"))
