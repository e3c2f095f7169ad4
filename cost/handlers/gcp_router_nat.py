"""Cloud NAT gateways."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.compute_class import NODE_POOL
from gpucluster.cost.handlers.gcp_place import place_of
from gpucluster.cost.handlers.gke_node_count import nodes_of
from gpucluster.cost.handlers.gke_nodes import purchase_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Count
from gpucluster.cost.subject import CannotPrice, Subject

_MOST_BILLED: Final = Decimal(32)
"""Machines behind a gateway that are billed; more cost no more (Cloud NAT price page)."""


@prices("gcp:compute/routerNat:RouterNat")
def router_nat(ask: Subject) -> Iterator[CostLine]:
    """Hours of each machine behind it, 32 at the most, GiB processed, and its addresses (Cloud NAT price page).

    What leaves for the internet is billed as well (`egress_gib`, first tier). Addresses in `natIps` are resources of
    their own.
    """
    if ask.text("type", default="PUBLIC") != "PUBLIC":
        raise CannotPrice(f"type is {ask.text('type')!r}: the price book has public NAT only")
    region = place_of(ask, "region")
    nodes = _nodes(ask)
    hours = nodes.times(HOURS_PER_MONTH)
    yield ask.line(
        "Cloud NAT gateway",
        hours.expected,
        ask.price("cloud-nat-gateway-vm-hour", "VM-hour", region=region),
        basis=f"{nodes.expected.normalize():f} x {HOURS_PER_MONTH} h",
        assumption="machines behind the NAT: those of the stack's node pools, of which it bills 32 at the most",
        floor=hours.floor,
        ceiling=hours.ceiling,
    )
    gib, out = ask.assumptions.nat_gib, ask.assumptions.egress_gib
    said = f"nat_gib: {gib} GiB a month through each NAT gateway"
    yield ask.line(
        "NAT data processed", gib, ask.price("cloud-nat-data-processed", "GiB", region=region), assumption=said
    )
    said = f"egress_gib: {out} GiB a month to the internet through each NAT gateway, at the first tier's price"
    yield ask.line("Internet egress", out, ask.price("internet-egress", "GiB", region=region), assumption=said)
    if ask.text("natIpAllocateOption", default="AUTO_ONLY") == "AUTO_ONLY":
        price = ask.price("cloud-nat-ip-hour", "hour", region=region)
        said = "Cloud NAT takes one external address; more with many connections"
        yield ask.line("NAT address", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h", assumption=said)


def _nodes(ask: Subject) -> Count:
    """Machines of the stack's node pools, as many as are billed."""
    floor = expected = Decimal(0)
    ceiling: Decimal = Decimal(0)
    for pool in ask.resources.of_type(NODE_POOL):
        try:
            found = ask.of(pool)
            count, _ = nodes_of(found, flex_start=purchase_of(found) == "flex_start")
        except CannotPrice:  # it is named with its own resource
            continue
        floor, expected = floor + count.floor, expected + count.expected
        ceiling += _MOST_BILLED if isinstance(count.ceiling, str) else count.ceiling
    return Count(min(expected, _MOST_BILLED), min(floor, _MOST_BILLED), min(ceiling, _MOST_BILLED))
