"""External and internal IP addresses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.gcp_machines import GROUPS, external_addresses, machines_of, nodes_are_private
from gpucluster.cost.handlers.gcp_place import place_of, region_of
from gpucluster.cost.handlers.gke_nodes import NODE_POOL, location_of, nodes_of, purchase_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.usage_lines import egress_lines
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Count, Free
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing

_SOURCE = "https://cloud.google.com/vpc/network-pricing"


@prices("gcp:compute/address:Address")
def address(item: Pricing) -> Iterator[CostLine | Free]:
    """An hour of one external address in use by a machine or a NAT gateway; internal ones are free (VPC price page)."""
    if item.text("addressType", default="EXTERNAL") == "INTERNAL":
        yield item.free("no charge for internal addresses", _SOURCE)
        return
    price = item.price("static-ip-hour", "hour", region=place_of(item, "region"))
    note = "external addresses are assumed in use; an idle one costs more"
    yield item.line("External IPv4 address", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h", assumption=note)


@prices("gcp:compute/globalAddress:GlobalAddress")
def global_address(item: Pricing) -> Iterator[Free]:
    """Ranges for peering and internal addresses are free (VPC price page); external ones belong to load balancers."""
    if item.text("addressType", default="EXTERNAL") != "INTERNAL":
        raise CannotPrice("an external global address: the price book has regional addresses only")
    yield item.free("no charge for internal ranges", _SOURCE)


_MOST_BILLED: Final = Decimal(32)
"""Machines behind a gateway that are billed; more cost no more (Cloud NAT price page)."""


@prices("gcp:compute/routerNat:RouterNat")
def router_nat(item: Pricing) -> Iterator[CostLine]:
    """Hours of each machine behind it, 32 at most, GiB processed, and its addresses (Cloud NAT price page).

    What leaves for the internet is billed as well (`egress_gib`). Addresses in `natIps` are separate resources.
    """
    if item.text("type", default="PUBLIC") != "PUBLIC":
        raise CannotPrice(f"type is {item.text('type')!r}: the price book has public NAT only")
    region = place_of(item, "region")
    nodes = _machines(item, region)
    hours = nodes.times(HOURS_PER_MONTH)
    yield item.line(
        "Cloud NAT gateway",
        hours.expected,
        item.price("cloud-nat-gateway-vm-hour", "VM-hour", region=region),
        basis=f"{nodes.expected.normalize():f} x {HOURS_PER_MONTH} h",
        assumption="machines behind the NAT: those of the stack without an external address, 32 at the most",
        floor=hours.floor,
        ceiling=hours.ceiling,
    )
    yield item.by_usage("NAT data processed", "nat_gib", item.price("cloud-nat-data-processed", "GiB", region=region))
    yield from egress_lines(item, region=region)
    if item.text("natIpAllocateOption", default="AUTO_ONLY") == "AUTO_ONLY":
        price = item.price("cloud-nat-ip-hour", "hour", region=region)
        assumption = "Cloud NAT takes one external address; more with many connections"
        yield item.line("NAT address", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h", assumption=assumption)


def _machines(item: Pricing, region: str) -> Count:
    """Machines of the stack in the gateway's region without an external address, as many as are billed."""
    floor = expected = Decimal(0)
    ceiling: Decimal = Decimal(0)
    for type_, behind in _BEHIND.items():
        for resource in item.resources.of_type(type_):
            try:
                count = behind(item.of(resource), region)
            except CannotPrice:  # it is named with its own resource
                continue
            floor, expected = floor + count.floor, expected + count.expected
            ceiling += _MOST_BILLED if isinstance(count.ceiling, str) else count.ceiling
    return Count(min(expected, _MOST_BILLED), min(floor, _MOST_BILLED), min(ceiling, _MOST_BILLED))


def _pool(pool: Pricing, region: str) -> Count:
    if nodes_are_private(pool) is False or region_of(location_of(pool)) != region:
        return _NONE
    return nodes_of(pool, flex_start=purchase_of(pool) == "flex_start")[0]


def _instance(machine: Pricing, region: str) -> Count:
    if external_addresses(machine) or region_of(place_of(machine, "zone")) != region:
        return _NONE
    return Count.fixed(Decimal(1))


def _group(group: Pricing, region: str) -> Count:
    template, count, _ = machines_of(group)
    return _NONE if external_addresses(template) or region_of(place_of(group, "zone", "region")) != region else count


_NONE: Final = Count.fixed(Decimal(0))
_BEHIND: Final[dict[str, Callable[[Pricing, str], Count]]] = {
    NODE_POOL: _pool,
    "gcp:compute/instance:Instance": _instance,
    **dict.fromkeys(GROUPS, _group),
}
"""Type -> how many of its machines are behind a gateway of a region."""
