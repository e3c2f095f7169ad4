"""Logs of a GKE cluster, and flow logs of the subnets that its nodes are in: usage that is assumed by the nodes."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.program.resources import Resource
from gpucluster.cost.handlers.gke_nodes import CLUSTER, NODE_POOL, nodes_of, purchase_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.pricing.model import CostLine, Free
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing

_SUBNET: Final = "gcp:compute/subnetwork:Subnetwork"
_FREE_GIB: Final = Decimal(50)
"""GiB of logs that are free in each project; network logs have none free (Google Cloud Observability price page)."""


def cluster_logs(item: Pricing) -> CostLine:
    """GiB beyond what is free: `log_gib`, else what is assumed of the system on each node, and of its pods where they
    are collected.
    """
    name, each = "Cloud Logging", ["gke_log_gib_per_node"]
    if "WORKLOADS" in item.items("loggingConfig", "enableComponents"):
        each.append("pod_log_gib_per_node")
    price = item.price("cloud-logging-ingest", "GiB", region="global")
    nodes = nodes_in(item, [item.resource])
    gib = nodes * sum(map(item.assumptions.amount, each), Decimal(0))
    said = ", ".join(map(item.assumptions.said, each))
    if item.assumptions.log_gib or gib <= _FREE_GIB:
        if gib and not item.assumptions.log_gib:
            within = f"within the {_FREE_GIB} GiB that are free in each project"
            item.guesses.add(f"our estimate for {plain(nodes)} nodes of {item.resource.name}: {said}, {within}")
        return item.by_usage(name, "log_gib", price, leaves=f"the first {_FREE_GIB} GiB are free in each project")
    billed = gib - _FREE_GIB
    return item.line(
        name,
        billed,
        price,
        basis=f"{plain(billed)} GiB",
        assumption=f"our estimate for {plain(nodes)} nodes: {said}, less the {_FREE_GIB} GiB that are free",
        usage=("log_gib", *each),
    )


@prices(_SUBNET)
def subnetwork(item: Pricing) -> Iterator[CostLine | Free]:
    """GiB of flow logs, where `logConfig` switches them on (price page of Google Cloud Observability)."""
    if item.get("logConfig") is None:
        yield item.free("no charge for the object; traffic is billed where it flows",
                       "https://cloud.google.com/vpc/network-pricing")  # fmt: skip
        return
    name, each = "Flow logs ingested", "gke_flow_log_gib_per_node"
    leaves = "the fee of Network Telemetry for generating them is not in the total"
    price = item.price("cloud-logging-network-ingest", "GiB", region="global")
    if item.assumptions.log_gib:
        yield item.by_usage(name, "log_gib", price, leaves=leaves)
        return
    inside = [one for one in item.resources.of_type(CLUSTER)
              if item.resources.referred(one, "subnetwork", _SUBNET) is item.resource]  # fmt: skip
    nodes = nodes_in(item, inside)
    gib = nodes * item.assumptions.amount(each)
    said = f"our estimate for {plain(nodes)} nodes: {item.assumptions.said(each)}; {leaves}"
    yield item.line(name, gib, price, basis=f"{plain(gib)} GiB", assumption=said, usage=("log_gib", each))


def nodes_in(item: Pricing, clusters: list[Resource]) -> Decimal:
    """Nodes of the clusters' pools, as many as are expected."""
    total = Decimal(0)
    for pool in item.resources.of_type(NODE_POOL):
        if item.resources.referred(pool, "cluster", CLUSTER) in clusters:
            one = item.of(pool)
            try:
                total += nodes_of(one, flex_start=purchase_of(one) == "flex_start")[0].expected
            except CannotPrice:  # it is named with its own resource
                continue
    return total


_BUCKET: Final = "gcp:logging/projectBucketConfig:ProjectBucketConfig"
_SINK: Final = "gcp:logging/projectSink:ProjectSink"
_LEAVES: Final = "retention beyond 30 days"


@prices(_BUCKET)
def bucket(item: Pricing) -> Iterator[CostLine]:
    """GiB ingested (Cloud Logging price page): `log_gib`, else an assumption if a sink sends a cluster's logs there."""
    price = item.price("cloud-logging-ingest", "GiB", region="global")
    sinks = [one for one in item.resources.of_type(_SINK)
             if item.resources.referred(one, "destination", _BUCKET) is item.resource]  # fmt: skip
    clusters = [one for one in item.resources.of_type(CLUSTER) if any(_names(sink, one) for sink in sinks)]
    if not clusters or item.assumptions.log_gib:
        yield item.by_usage("Logs ingested", "log_gib", price, leaves=f"not in the total of Logs ingested: {_LEAVES}")
        return
    each, nodes = "pod_log_gib_per_node", nodes_in(item, clusters)
    gib = nodes * item.assumptions.amount(each)
    said = f"our estimate for {plain(nodes)} nodes: {item.assumptions.said(each)}; not in the total: {_LEAVES}"
    yield item.line(
        "Pod logs ingested", gib, price, basis=f"{plain(gib)} GiB", assumption=said, usage=("log_gib", each)
    )


def _names(sink: Resource, cluster: Resource) -> bool:
    """Whether a sink takes what is of this cluster."""
    return f'cluster_name="{cluster.inputs.get("name")}"' in str(sink.inputs.get("filter"))
