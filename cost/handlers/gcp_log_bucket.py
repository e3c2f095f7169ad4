"""Buckets of Cloud Logging, with what is assumed of what the pods of a cluster print."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.gcp_logs import nodes_in
from gpucluster.cost.handlers.gke_nodes import CLUSTER
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import CostLine
from gpucluster.cost.pricing import Pricing
from gpucluster.program.resources import Resource

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
