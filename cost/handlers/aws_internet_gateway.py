"""Internet gateways: the way out of a VPC."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, Free
from gpucluster.cost.subject import Subject

_VPC = "https://aws.amazon.com/vpc/pricing/"


@prices("aws:ec2/internetGateway:InternetGateway")
def internet_gateway(ask: Subject) -> Iterator[CostLine | Free]:
    """GiB to the internet (`egress_gib`) at the first tier's price (EC2 price page, data transfer); no charge else."""
    gib = ask.assumptions.egress_gib
    if not gib:
        yield ask.free("no charge for the object; traffic is billed where it flows", _VPC)
        return
    said = ask.assumptions.said("egress_gib")
    yield ask.line("Data to the internet", gib, ask.price("internet-egress", "GiB"), assumption=said)
