"""External IPv4 addresses of machines: those that have one pay for it by the hour, and need no Cloud NAT."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.gke_nodes import CLUSTER
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Count
from gpucluster.cost.subject import CannotPrice, Subject

__all__ = ["external_addresses", "node_address_lines", "nodes_are_private"]

_USAGE: Final = "public_ipv4_addresses"


def external_addresses(ask: Subject) -> int:
    """External addresses of an instance, or of each machine of an instance template."""
    interfaces = range(len(ask.items("networkInterfaces")))
    return sum(len(ask.items("networkInterfaces", index, "accessConfigs")) for index in interfaces)


def nodes_are_private(ask: Subject) -> bool | None:
    """Whether the nodes of a GKE pool, or of a cluster's own pool, have internal addresses only; None: not known.

    A pool says it itself, else its cluster does; without a word nodes have external addresses (SDK documentation of
    `NodePool.networkConfig.enablePrivateNodes` and `Cluster.privateClusterConfig`).
    """
    own = ask.get("networkConfig", "enablePrivateNodes")
    if own is not None:
        return bool(own)
    found = ask.resource if ask.resource.type == CLUSTER else ask.resources.referred(ask.resource, "cluster", CLUSTER)
    return None if found is None else bool(ask.of(found).get("privateClusterConfig", "enablePrivateNodes"))


def node_address_lines(ask: Subject, count: Count, purchase: str, *, region: str) -> Iterator[CostLine]:
    """Hours of the external address of each node that has one (VPC price page). Raises CannotPrice for Spot."""
    private = nodes_are_private(ask)
    if private:
        return
    usage = (_USAGE,) if private is None else ()
    each = ask.assumptions.amount(_USAGE) if usage else Decimal(1)
    if purchase == "spot" and each:
        raise CannotPrice("external addresses of Spot nodes: the price book has those of other machines only")
    hours = count.times(each * HOURS_PER_MONTH)
    yield ask.line(
        "External IPv4 addresses",
        hours.expected,
        ask.price("static-ip-hour", "hour", region=region),
        basis=f"{plain(count.expected * each)} x {HOURS_PER_MONTH} h",
        assumption=ask.assumptions.said(_USAGE) if usage else "",
        floor=hours.floor,
        ceiling=hours.ceiling,
        usage=usage,
    )
