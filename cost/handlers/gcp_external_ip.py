"""External IPv4 addresses of machines: those that have one pay for it by the hour, and need no Cloud NAT."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.gke_nodes import CLUSTER
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Count
from gpucluster.cost.pricing import CannotPrice, Pricing

_USAGE: Final = "public_ipv4_addresses"


def external_addresses(item: Pricing) -> int:
    """External addresses of an instance, or of each machine of an instance template."""
    interfaces = range(len(item.items("networkInterfaces")))
    return sum(len(item.items("networkInterfaces", index, "accessConfigs")) for index in interfaces)


def nodes_are_private(item: Pricing) -> bool | None:
    """Whether the nodes of a GKE pool, or of a cluster's own pool, have internal addresses only; None: not known.

    A pool says it itself, else its cluster does; without a word nodes have external addresses (SDK documentation of
    `NodePool.networkConfig.enablePrivateNodes` and `Cluster.privateClusterConfig`).
    """
    own = item.get("networkConfig", "enablePrivateNodes")
    if own is not None:
        return bool(own)
    found = (
        item.resource if item.resource.type == CLUSTER else item.resources.referred(item.resource, "cluster", CLUSTER)
    )
    return None if found is None else bool(item.of(found).get("privateClusterConfig", "enablePrivateNodes"))


def node_address_lines(item: Pricing, count: Count, purchase: str, *, region: str) -> Iterator[CostLine]:
    """Hours of the external address of each node that has one (VPC price page). Raises CannotPrice for Spot."""
    private = nodes_are_private(item)
    if private:
        return
    usage = (_USAGE,) if private is None else ()
    each = item.assumptions.amount(_USAGE) if usage else Decimal(1)
    if purchase == "spot" and each:
        raise CannotPrice("external addresses of Spot nodes: the price book has those of other machines only")
    hours = count.times(each * HOURS_PER_MONTH)
    yield item.line(
        "External IPv4 addresses",
        hours.expected,
        item.price("static-ip-hour", "hour", region=region),
        basis=f"{plain(count.expected * each)} x {HOURS_PER_MONTH} h",
        assumption=item.assumptions.said(_USAGE) if usage else "",
        floor=hours.floor,
        ceiling=hours.ceiling,
        usage=usage,
    )
