"""The edge of an Azure network: NAT gateways, load balancers and public addresses, also those that AKS makes."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.egress import egress_lines
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Count, NotPriced
from gpucluster.cost.pricing import Pricing

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
