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
from gpucluster.cost.handlers.samples import expected_samples
from gpucluster.cost.model import HOURS_PER_MONTH, CostLine, Free, NotPriced
from gpucluster.cost.subject import CannotPrice, Subject

_AGENT_POOL: Final = "azure-native:containerservice:AgentPool"
_POOL: Final = "kubernetes:karpenter.sh/v1:NodePool"


@prices("azure-native:containerservice:ManagedCluster")
def cluster(ask: Subject) -> Iterator[CostLine | NotPriced | Free]:
    """An hour of the cluster by its tier (AKS price page); its pools; what else it makes."""
    region = place_of(ask)
    yield from or_named(ask, _fee(ask, region))
    apart = _apart(ask)
    for index in range(len(ask.items("agentPoolProfiles"))):
        at = ("agentPoolProfiles", index)
        name = ask.text(*at, "name", default=f"pool {index + 1}")
        if name in apart:
            continue
        yield from or_named(ask, node_lines(ask, at, region=region, name=name), what=f"pool {name}", compute=True)
    provisioning = ask.get("nodeProvisioningProfile", "mode") == "Auto"
    if provisioning and ask.get("nodeProvisioningProfile", "defaultNodePools") != "None":
        yield ask.not_priced("node auto provisioning with its own default pools, which no plan shows", compute=True)
    elif provisioning and not ask.resources.of_type(_POOL):
        yield ask.free(
            "node auto provisioning without pools starts nothing",
            "https://learn.microsoft.com/azure/aks/node-auto-provisioning",
        )
    yield from or_named(ask, _metrics(ask, region))
    yield from or_named(ask, _logs(ask, region))
    yield from _way_out(ask, region)


def _apart(ask: Subject) -> set[object]:
    """The names of its pools that are resources of their own: a refresh writes them into the cluster too, and each is
    paid once (pulumi/pulumi-azure-native #2719)."""
    own = ask.get("resourceName")
    pools = (pool.inputs for pool in ask.resources.of_type(_AGENT_POOL))
    return {pool.get("agentPoolName") for pool in pools if own is not None and pool.get("resourceName") == own}


def _fee(ask: Subject, region: str) -> Iterator[CostLine]:
    if ask.text("sku", "name", default="Base") != "Base":
        raise CannotPrice(f"sku.name is {ask.text('sku', 'name')!r}: the price book has clusters of the kind Base only")
    tier = ask.text("sku", "tier", default="Free")
    if tier != "Free":
        price = ask.price(f"aks-{tier.lower()}-tier", "hour", region=region)
        yield ask.line(f"AKS {tier} tier", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")


def _metrics(ask: Subject, region: str) -> Iterator[CostLine]:
    """Samples of Managed Prometheus: usage that no plan knows."""
    if ask.get("azureMonitorProfile", "metrics", "enabled"):
        millions, said = expected_samples(ask, "tags")
        price = ask.price("managed-prometheus-samples", "1M-samples", region=region)
        usage = ("prometheus_million_samples",)
        yield ask.line("Managed Prometheus samples", millions, price, assumption=said, usage=usage)


def _logs(ask: Subject, region: str) -> Iterator[CostLine]:
    """Container Insights: logs taken in by a Log Analytics workspace, which has a price of its own where it is here."""
    if ask.get("addonProfiles", "omsagent", "enabled") and workspace_of(ask, ask.resource) is None:
        yield ask.by_usage("Log Analytics", "log_gib", ask.price("log-analytics-ingest", "GiB", region=region))


def _way_out(ask: Subject, region: str) -> Iterator[CostLine | NotPriced]:
    """What AKS makes in its own resource group for traffic that leaves (SDK documentation of `outboundType`)."""
    kind = ask.text("networkProfile", "outboundType", default="loadBalancer")
    if kind == "loadBalancer":
        yield from balancer_lines(ask, rules=1, region=region)
        path = ("networkProfile", "loadBalancerProfile", "managedOutboundIPs", "count")
    elif kind == "managedNATGateway":
        yield from nat_lines(ask, region=region)
        path = ("networkProfile", "natGatewayProfile", "managedOutboundIPProfile", "count")
    else:
        return
    addresses: Decimal = ask.number(*path, default=1)
    yield from or_named(ask, address_hours(ask, addresses, region=region))
