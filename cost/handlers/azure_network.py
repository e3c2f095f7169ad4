"""NAT gateways, load balancers and public addresses that are resources of their own."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.handlers.azure_addresses import address_hours, balancer_lines, nat_lines
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import CostLine, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing


@prices("azure-native:network:NatGateway")
def nat_gateway(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Hours, GiB processed and GiB to the internet (NAT Gateway price page). Its addresses are billed separately."""
    if item.text("sku", "name", default="Standard") != "Standard":
        raise CannotPrice(f"sku.name is {item.text('sku', 'name')!r}: the price book has Standard NAT gateways only")
    yield from nat_lines(item, region=place_of(item))


@prices("azure-native:network:PublicIPAddress")
def public_address(item: Pricing) -> Iterator[CostLine]:
    """An hour of one standard IPv4 address (IP addresses price page)."""
    kind, version = item.text("sku", "name", default="Basic"), item.text("publicIPAddressVersion", default="IPv4")
    if kind != "Standard" or version != "IPv4":
        raise CannotPrice(f"a {kind} {version} address: the price book has Standard IPv4 addresses only")
    worldwide = item.text("sku", "tier", default="Regional") == "Global"
    yield from address_hours(item, Decimal(1), region=place_of(item), worldwide=worldwide)


@prices("azure-native:network:LoadBalancer")
def load_balancer(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Hours by the number of load-balancing and outbound rules, and GiB processed (Load Balancer price page)."""
    kind = item.text("sku", "name", default="Basic")
    if kind != "Standard":
        raise CannotPrice(f"sku.name is {kind!r}: the price book has Standard load balancers only")
    rules = len(item.items("loadBalancingRules")) + len(item.items("outboundRules"))
    yield from balancer_lines(item, rules=rules, region=place_of(item))
