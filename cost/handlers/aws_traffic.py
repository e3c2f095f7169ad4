"""Traffic of a VPC: to the internet, and between its zones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.egress import egress_lines
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine
from gpucluster.cost.pricing import Pricing

_ENDS: Final = 2
"""A GiB that crosses zones is billed where it leaves and where it arrives (EC2 price page, data transfer)."""


@prices("aws:ec2/internetGateway:InternetGateway")
def internet_gateway(item: Pricing) -> Iterator[CostLine]:
    """GiB to the internet (`egress_gib`; EC2 price page, data transfer); else no charge."""
    yield from egress_lines(item, region=item.region)


@prices("aws:ec2/vpc:Vpc")
def vpc(item: Pricing) -> Iterator[CostLine]:
    """GiB between zones (`inter_zone_gib`), billed at both ends (EC2 price page, data transfer); else no charge."""
    gib, said = item.assumptions.amount("inter_zone_gib"), item.assumptions.said("inter_zone_gib")
    yield item.line("Data between zones", gib * _ENDS, item.price("inter-az", "GiB"),
                   basis=f"{_ENDS} x {gib.normalize():,f} GiB", assumption=said, usage=("inter_zone_gib",))  # fmt: skip
