"""AKS clusters: the fee of their tier, their own pools, metrics, logs, and the way out that AKS makes by itself."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.aks_nodes import node_lines
from gpucluster.cost.handlers.azure_addresses import address_hours, balancer_lines, nat_lines
from gpucluster.cost.handlers.azure_log_workspace import workspace_of
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.samples import expected_samples, says_samples
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Free, NotPriced
from gpucluster.cost.pricing import CannotPrice, Pricing

_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_RULE: Final = "azure-native:monitor:DataCollectionRule"
_ASSOCIATION: Final = "azure-native:monitor:DataCollectionRuleAssociation"
_AGENT_POOL: Final = "azure-native:containerservice:AgentPool"
_POOL: Final = "kubernetes:karpenter.sh/v1:NodePool"


@prices(_CLUSTER)
def cluster(item: Pricing) -> Iterator[CostLine | NotPriced | Free]:
    """An hour of the cluster by its tier (AKS price page); its pools; what else it makes."""
    region = place_of(item)
    yield from or_named(item, _fee(item, region))
    apart = _apart(item)
    for index in range(len(item.items("agentPoolProfiles"))):
        at = ("agentPoolProfiles", index)
        name = item.text(*at, "name", default=f"pool {index + 1}")
        if name in apart:
            continue
        yield from or_named(item, node_lines(item, at, region=region, name=name), what=f"pool {name}", compute=True)
    provisioning = item.get("nodeProvisioningProfile", "mode") == "Auto"
    if provisioning and item.get("nodeProvisioningProfile", "defaultNodePools") != "None":
        yield item.not_priced("node auto provisioning with its own default pools, which no plan shows", compute=True)
    elif provisioning and not item.resources.of_type(_POOL):
        yield item.free(
            "node auto provisioning without pools starts nothing",
            "https://learn.microsoft.com/azure/aks/node-auto-provisioning",
        )
    yield from or_named(item, _metrics(item, region))
    yield from or_named(item, _logs(item, region))
    yield from _way_out(item, region)


def _apart(item: Pricing) -> set[object]:
    """The names of its pools that are resources of their own: a refresh writes them into the cluster too, and each is
    paid once (pulumi/pulumi-azure-native #2719)."""
    own = item.get("resourceName")
    pools = (pool.inputs for pool in item.resources.of_type(_AGENT_POOL))
    return {pool.get("agentPoolName") for pool in pools if own is not None and pool.get("resourceName") == own}


def _fee(item: Pricing, region: str) -> Iterator[CostLine]:
    if item.text("sku", "name", default="Base") != "Base":
        raise CannotPrice(f"sku.name is {item.text('sku', 'name')!r}: the price book has Base clusters only")
    tier = item.text("sku", "tier", default="Free")
    if tier != "Free":
        price = item.price(f"aks-{tier.lower()}-tier", "hour", region=region)
        yield item.line(f"AKS {tier} tier", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")


def _metrics(item: Pricing, region: str) -> Iterator[CostLine]:
    """Samples of Managed Prometheus: usage that no plan knows."""
    if item.get("azureMonitorProfile", "metrics", "enabled"):
        millions, said = expected_samples(_collected(item), "tags")
        price = item.price("managed-prometheus-samples", "1M-samples", region=region)
        usage = ("prometheus_million_samples",)
        yield item.line("Managed Prometheus samples", millions, price, assumption=said, usage=usage)


def _collected(item: Pricing) -> Pricing:
    """What says how many samples the cluster sends: the rule of its collectors, else the cluster itself."""
    for link in item.resources.of_type(_ASSOCIATION):
        rule = item.resources.referred(link, "dataCollectionRuleId", _RULE)
        collects = item.resources.referred(link, "resourceUri", _CLUSTER) is item.resource
        if collects and rule is not None and says_samples(item.of(rule), "tags"):
            return item.of(rule)
    return item


def _logs(item: Pricing, region: str) -> Iterator[CostLine]:
    """Container Insights: logs ingested by a Log Analytics workspace, which has a price of its own where it is here."""
    if item.get("addonProfiles", "omsagent", "enabled") and workspace_of(item, item.resource) is None:
        yield item.by_usage("Log Analytics", "log_gib", item.price("log-analytics-ingest", "GiB", region=region))


def _way_out(item: Pricing, region: str) -> Iterator[CostLine | NotPriced]:
    """What AKS makes in its own resource group for traffic that leaves (SDK documentation of `outboundType`)."""
    kind = item.text("networkProfile", "outboundType", default="loadBalancer")
    if kind == "loadBalancer":
        yield from balancer_lines(item, rules=1, region=region)
        path = ("networkProfile", "loadBalancerProfile", "managedOutboundIPs", "count")
    elif kind == "managedNATGateway":
        yield from nat_lines(item, region=region)
        path = ("networkProfile", "natGatewayProfile", "managedOutboundIPProfile", "count")
    else:
        return
    addresses: Decimal = item.number(*path, default=1)
    yield from or_named(item, address_hours(item, addresses, region=region))
