"""The edge of an Azure network: NAT gateways, load balancers and public addresses, also those that AKS makes."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.usage_lines import egress_lines
from gpucluster.cost.handlers.whole_machines import or_named, plain
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing

_RULES_INCLUDED: Final = 5
"""Rules of a standard load balancer that its hourly price includes (Load Balancer price page)."""


def nat_lines(item: Pricing, *, region: str) -> Iterator[CostLine | NotPriced]:
    """Hours, GiB processed (`nat_gib`), and what leaves for the internet (`egress_gib`)."""

    def hours() -> Iterator[CostLine]:
        price = item.price("nat-gateway-hour", "hour", region=region)
        yield item.line("NAT gateway", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")

    def processed() -> Iterator[CostLine]:
        price = item.price("nat-gateway-data-processed", "GiB", region=region)
        yield item.by_usage("NAT data processed", "nat_gib", price)

    for lines in (hours(), processed(), egress_lines(item, region=region)):
        yield from or_named(item, lines)


def balancer_lines(item: Pricing, *, rules: int, region: str) -> Iterator[CostLine | NotPriced]:
    """Hours with 5 rules, hours of every further rule, and GiB processed (`lb_gib`)."""

    def hours() -> Iterator[CostLine]:
        price = item.price("lb-standard-hour", "hour", region=region)
        yield item.line("Load balancer", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")
        further = Decimal(max(rules - _RULES_INCLUDED, 0))
        if further:
            price = item.price("lb-standard-rule-hour", "hour", region=region)
            basis = f"{plain(further)} x {HOURS_PER_MONTH} h"
            yield item.line(
                f"Load balancer rules above {_RULES_INCLUDED}", further * HOURS_PER_MONTH, price, basis=basis
            )

    def processed() -> Iterator[CostLine]:
        price = item.price("lb-standard-data-processed", "GiB", region=region)
        yield item.by_usage("Load balancer data processed", "lb_gib", price)

    for lines in (hours, processed):
        yield from or_named(item, lines())


def address_hours(
    item: Pricing, number: Decimal | Count, *, region: str, worldwide: bool = False
) -> Iterator[CostLine]:
    """Hours of static standard addresses (IP addresses price page)."""
    count = number if isinstance(number, Count) else Count.fixed(number)
    price = item.price("public-ip-global-hour" if worldwide else "public-ip-standard-hour", "hour", region=region)
    basis = f"{HOURS_PER_MONTH} h" if count.expected == 1 else f"{plain(count.expected)} x {HOURS_PER_MONTH} h"
    hours = count.times(HOURS_PER_MONTH)
    yield item.line("Public address", hours.expected, price, basis=basis, floor=hours.floor, ceiling=hours.ceiling)


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
