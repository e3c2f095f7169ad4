"""GKE: clusters, their logs, and node pools with machines, local SSDs and boot disks."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.program.resources import Resource
from gpucluster.cost.handlers.gcp_machines import node_address_lines
from gpucluster.cost.handlers.gcp_place import is_zone, place_of, region_of
from gpucluster.cost.handlers.gke_nodes import CLUSTER, NODE_POOL, location_of, node_lines, nodes_of, purchase_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.usage_lines import expected_samples
from gpucluster.cost.handlers.whole_machines import or_named, plain
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Count, Free, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number

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
    assumption = ", ".join(map(item.assumptions.text, each))
    if item.assumptions.log_gib or gib <= _FREE_GIB:
        if gib and not item.assumptions.log_gib:
            within = f"within the {_FREE_GIB} GiB that are free in each project"
            item.guesses.add(f"our estimate for {plain(nodes)} nodes of {item.resource.name}: {assumption}, {within}")
        return item.by_usage(name, "log_gib", price, leaves=f"the first {_FREE_GIB} GiB are free in each project")
    billed = gib - _FREE_GIB
    return item.line(
        name,
        billed,
        price,
        basis=f"{plain(billed)} GiB",
        assumption=f"our estimate for {plain(nodes)} nodes: {assumption}, less the {_FREE_GIB} GiB that are free",
        usage=("log_gib", *each),
    )


_SAMPLED: Final = Decimal("0.5")
_INTERVAL: Final = "INTERVAL_10_MIN"
"""Share and interval of the flow records that the estimate `gke_flow_log_gib_per_node` counts."""


@prices(_SUBNET)
def subnetwork(item: Pricing) -> Iterator[CostLine | Free | NotPriced]:
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
    nodes, sampled = nodes_in(item, inside), item.get("logConfig", "flowSampling")
    share = _SAMPLED if sampled is None else as_number(sampled, "logConfig.flowSampling")
    gib = nodes * item.assumptions.amount(each) * share / _SAMPLED
    assumption = f"our estimate for {plain(nodes)} nodes: {item.assumptions.text(each)}; {leaves}"
    interval = item.get("logConfig", "aggregationInterval")
    if interval not in (None, _INTERVAL):
        yield item.not_priced(f"flow logs by {interval}: the estimate has those by {_INTERVAL}, which are fewer")
    yield item.line(name, gib, price, basis=f"{plain(gib)} GiB", assumption=assumption, usage=("log_gib", each))


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
    assumption = f"our estimate for {plain(nodes)} nodes: {item.assumptions.text(each)}; not in the total: {_LEAVES}"
    yield item.line(
        "Pod logs ingested", gib, price, basis=f"{plain(gib)} GiB", assumption=assumption, usage=("log_gib", each)
    )


def _names(sink: Resource, cluster: Resource) -> bool:
    """Whether a sink takes logs of this cluster."""
    return f'cluster_name="{cluster.inputs.get("name")}"' in str(sink.inputs.get("filter"))


@prices("gcp:container/nodePool:NodePool")
def node_pool(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """`nodeCount` machines in each zone, within the bounds of autoscaling, and their disks (Compute Engine prices).

    A node pool has no separate price (GKE price page). Queued provisioning starts nodes as flex-start does.
    """
    queued = bool(item.get("queuedProvisioning", "enabled"))
    purchase = purchase_of(item, queued=queued)
    nodes, assumption = nodes_of(item, flex_start=purchase == "flex_start")
    region = region_of(location_of(item))
    yield from node_lines(item, nodes, purchase, region=region, assumption=assumption, autoscaled=nodes.varies)
    yield from or_named(item, node_address_lines(item, nodes, purchase, region=region))


_FREE_METRICS: Final = frozenset({"SYSTEM_COMPONENTS"})
"""Metrics that are not billed by the sample; the other packages are (GKE documentation, configure metrics)."""


@prices("gcp:container/cluster:Cluster")
def cluster(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """An hour of one cluster, of any size and topology (GKE price page), and its logs and metrics.

    A cluster makes a default pool of `initialNodeCount` nodes a zone unless `removeDefaultNodePool` is set.
    """
    location = place_of(item, "location")
    fee = item.price("gke-cluster-management-fee", "hour", region="global")
    yield item.line(
        "GKE cluster management",
        HOURS_PER_MONTH,
        fee,
        basis=f"{HOURS_PER_MONTH} h",
        assumption=_free_tier(item, zonal=is_zone(location)),
    )
    if not is_zone(location) or item.items("nodeLocations"):
        yield _between_zones(item)
    if item.get("releaseChannel", "channel") == "EXTENDED":
        yield item.not_priced("release channel EXTENDED: a further fee once its version is in extended support")
    if item.get("dnsConfig", "clusterDns") == "CLOUD_DNS":
        yield _names_looked_up(item)
    yield from _metrics_and_logs(item)
    if item.get("enableAutopilot"):
        yield item.not_priced(
            "Autopilot: pods are billed by their resource requests, which no plan shows", compute=True
        )
        return
    if item.items("nodePools"):
        yield item.not_priced("nodePools inside the cluster: declare them as node pools of their own", compute=True)
    elif item.get("initialNodeCount") is not None and not item.get("removeDefaultNodePool"):
        zones = len(item.items("nodeLocations")) + is_zone(location) or 3
        nodes = Count.fixed(item.number("initialNodeCount") * zones)
        assumption = "the default node pool, because removeDefaultNodePool is not set"
        region, purchase = region_of(location), purchase_of(item)
        yield from node_lines(item, nodes, purchase, region=region, assumption=assumption)
        yield from or_named(item, node_address_lines(item, nodes, purchase, region=region))
    if item.get("clusterAutoscaling", "enabled") and not item.resources.of_type(
        "kubernetes:cloud.google.com/v1:ComputeClass"
    ):
        yield item.not_priced("node auto-provisioning: GKE starts machines that no plan shows", compute=True)


def _free_tier(item: Pricing, *, zonal: bool) -> str:
    if zonal or item.get("enableAutopilot"):
        return (
            "GKE's free tier, a credit of $74.40 a month for each billing account, pays for one zonal or Autopilot "
            "cluster; other clusters of the account are unknown, so it is not deducted"
        )
    return "GKE's free tier, a credit of the billing account, is for zonal and Autopilot clusters: none for this one"


def _between_zones(item: Pricing) -> CostLine:
    """Traffic of its nodes to nodes in other zones, billed once, at the sender (VPC price page, VM-to-VM)."""
    return item.by_usage("Data between zones", "inter_zone_gib", item.price("inter-zone", "GiB", region="global"))


def _names_looked_up(item: Pricing) -> CostLine:
    """What pods of a Standard cluster ask Cloud DNS is billed as any query (GKE documentation, "Use Cloud DNS for
    GKE": pricing).
    """
    price = item.price("dns-queries", "1M-requests", region="global")
    return item.by_usage("Cloud DNS queries", "dns_million_queries", price)


def _metrics_and_logs(item: Pricing) -> Iterator[CostLine]:
    """Samples of Managed Prometheus and logs: usage that no plan knows, priced by assumptions."""
    components = {str(entry) for entry in item.items("monitoringConfig", "enableComponents")}
    if item.get("monitoringConfig", "managedPrometheus", "enabled") or components - _FREE_METRICS:
        millions, assumption = expected_samples(item, "resourceLabels")
        price = item.price("managed-prometheus-samples", "1M-samples", region="global")
        usage = ("prometheus_million_samples",)
        yield item.line("Managed Prometheus samples", millions, price, assumption=assumption, usage=usage)
    if item.get("loggingConfig") is None or item.items("loggingConfig", "enableComponents"):
        yield cluster_logs(item)
