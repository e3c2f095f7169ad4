"""GKE node pools: machines, their local SSDs and boot disks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.cost.handlers.gcp_machines import node_address_lines
from gpucluster.cost.handlers.gcp_place import is_zone, place_of, region_of
from gpucluster.cost.handlers.gcp_telemetry import cluster_logs
from gpucluster.cost.handlers.gke_nodes import location_of, node_lines, nodes_of, purchase_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.usage_lines import expected_samples
from gpucluster.cost.handlers.whole_machines import or_named
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Count, NotPriced
from gpucluster.cost.pricing.pricing import Pricing


@prices("gcp:container/nodePool:NodePool")
def node_pool(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """`nodeCount` machines in each zone, within the bounds of autoscaling, and their disks (Compute Engine prices).

    A node pool has no price of its own (GKE price page). Queued provisioning starts nodes as flex-start does.
    """
    queued = bool(item.get("queuedProvisioning", "enabled"))
    purchase = purchase_of(item, queued=queued)
    nodes, said = nodes_of(item, flex_start=purchase == "flex_start")
    region = region_of(location_of(item))
    yield from node_lines(item, nodes, purchase, region=region, said=said, autoscaled=nodes.varies)
    yield from or_named(item, node_address_lines(item, nodes, purchase, region=region))


_FREE_METRICS: Final = frozenset({"SYSTEM_COMPONENTS"})
"""Metrics that are not billed by the sample; the other packages are (GKE documentation, configure metrics)."""


@prices("gcp:container/cluster:Cluster")
def cluster(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """An hour of one cluster, whatever its size and topology (GKE price page), and what it brings with it.

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
        said = "the default node pool, because removeDefaultNodePool is not set"
        region, purchase = region_of(location), purchase_of(item)
        yield from node_lines(item, nodes, purchase, region=region, said=said)
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
    """What its nodes send to those in other zones, billed once, where it leaves (VPC price page, VM-to-VM)."""
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
        millions, said = expected_samples(item, "resourceLabels")
        price = item.price("managed-prometheus-samples", "1M-samples", region="global")
        usage = ("prometheus_million_samples",)
        yield item.line("Managed Prometheus samples", millions, price, assumption=said, usage=usage)
    if item.get("loggingConfig") is None or item.items("loggingConfig", "enableComponents"):
        yield cluster_logs(item)
