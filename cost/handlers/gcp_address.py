"""External and internal IP addresses."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.handlers.gcp_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Free
from gpucluster.cost.pricing import CannotPrice, Pricing

_SOURCE = "https://cloud.google.com/vpc/network-pricing"


@prices("gcp:compute/address:Address")
def address(item: Pricing) -> Iterator[CostLine | Free]:
    """An hour of one external address in use by a machine or a NAT gateway; internal ones are free (VPC price page)."""
    if item.text("addressType", default="EXTERNAL") == "INTERNAL":
        yield item.free("no charge for internal addresses", _SOURCE)
        return
    price = item.price("static-ip-hour", "hour", region=place_of(item, "region"))
    said = "external addresses are assumed in use; an idle one costs more"
    yield item.line("External IPv4 address", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h", assumption=said)


@prices("gcp:compute/globalAddress:GlobalAddress")
def global_address(item: Pricing) -> Iterator[Free]:
    """Ranges for peering and internal addresses are free (VPC price page); external ones belong to load balancers."""
    if item.text("addressType", default="EXTERNAL") != "INTERNAL":
        raise CannotPrice("an external global address: the price book has regional addresses only")
    yield item.free("no charge for internal ranges", _SOURCE)
