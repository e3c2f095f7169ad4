"""Nodes of AKS: how many, how they are bought, and their system disks; shared by agent pools and a cluster's own pools.

Source of the fields: AgentPool and ManagedClusterAgentPoolProfile, as the installed SDK documents them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.catalog.machines import machines
from gpucluster.cost.handlers.azure_machines import machine_lines, purchase_of
from gpucluster.cost.handlers.azure_network import address_hours, balancer_lines, nat_lines
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.azure_services import workspace_of
from gpucluster.cost.handlers.azure_storage import azure_disk_lines
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.usage_lines import expected_samples, says_samples
from gpucluster.cost.handlers.whole_machines import EXPECTED_GPUS, or_named, plain, say_stopped
from gpucluster.cost.pricing.inputs import disregard
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, UNBOUNDED, CostLine, Count, Free, NotPriced, Unbounded
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, as_number

_PREMIUM: Final = r"^Standard_[A-Z]+\d+(-\d+)?[a-z]*s"
"""Sizes that take premium disks: an `s` among the letters of their features (Azure documentation, VM naming)."""


def node_lines(item: Pricing, at: tuple[str | int, ...], *, region: str, name: str) -> Iterator[CostLine | NotPriced]:
    """Machines and system disks of the pool at path `at`, which is called `name`."""
    machine = item.text(*at, "vmSize")
    if item.get(*at, "osType") == "Windows":
        raise CannotPrice(f"osType of {name} is Windows: the price book has Linux only")
    count, assumption = _count(item, at, machine, name)
    purchase = purchase_of(item.get(*at, "scaleSetPriority"))
    group, stopped = (*at, "capacityReservationGroupID"), item.get(*at, "powerState", "code") == "Stopped"
    if not stopped or item.get(*group) is not None:  # a reservation bills its machines, running or not
        yield from machine_lines(item, machine, count, purchase, region=region, group=group, note=assumption)
    if stopped:
        say_stopped(item, name, reserved=item.get(*group) is not None)
    yield from or_named(item, _disks(item, at, machine, count, region), what=f"system disks of {name}")
    if item.get(*at, "enableNodePublicIP") and not stopped:
        lines = address_hours(item, count, region=region)
        yield from or_named(item, lines, what=f"public addresses of {name}")


def _disks(item: Pricing, at: tuple[str | int, ...], machine: str, count: Count, region: str) -> Iterator[CostLine]:
    kind = item.get(*at, "osDiskType")
    gib = item.number(*at, "osDiskSizeGB", default=0)
    if kind == "Ephemeral":
        return  # on the machine's own disk, which its price includes (AKS documentation, storage concepts)
    if kind is None:
        if machine not in machines():
            why = "AKS uses the machine's own disk if it is large enough, at no charge, and else a managed disk"
            raise CannotPrice(f"osDiskType is not set: {why}; set it to Ephemeral or Managed")
        if gib <= machines()[machine].temp_disk_gib:
            return
    if not gib:
        raise CannotPrice("osDiskSizeGB is not set: AKS chooses the size by the machine's vCPUs; set it")
    yield from system_disks(item, machine, gib, count, region=region)


def system_disks(item: Pricing, machine: str, gib: Decimal, count: Count, *, region: str) -> Iterator[CostLine]:
    """Managed system disks: premium SSDs where the machine takes them. Raises CannotPrice for other machines."""
    if not re.match(_PREMIUM, machine):
        raise CannotPrice(f"{machine} does not support premium disks, and the disk that AKS uses instead is unknown")
    yield from azure_disk_lines(item, "Premium_LRS", gib, count, what="system disks", region=region)


def _count(item: Pricing, at: tuple[str | int, ...], machine: str, name: str) -> tuple[Count, str]:
    """(nodes as expected, at the least and the most; what was assumed)."""
    declared = None if item.get(*at, "count") is None else item.number(*at, "count")
    if not item.get(*at, "enableAutoScaling"):
        if declared is None:
            raise CannotPrice(f"count of {name} is not set: its number of nodes is unknown")
        return Count.fixed(declared), ""
    floor, most = item.number(*at, "minCount", default=0), item.get(*at, "maxCount")
    ceiling: Decimal | Unbounded = UNBOUNDED if most is None else as_number(most, f"maxCount of {name}")
    asked = item.get(*at, "nodeLabels", EXPECTED_GPUS)
    if asked is not None:
        if machine not in machines():
            raise CannotPrice(f"{machine} is not in the table of machines, so GPUs cannot be converted to machines")
        gpus = as_number(asked, f"label {EXPECTED_GPUS}")
        expected = max(gpus / machines()[machine].gpus, floor)
        assumption = f"expected GPUs of {name}: {plain(gpus)} on average (label {EXPECTED_GPUS})"
    elif declared:
        expected, assumption = max(declared, floor), ""
    elif isinstance(ceiling, str):
        raise CannotPrice(f"maxCount of {name} is not set: the number of running nodes is unknown")
    else:
        share = item.assumptions.expected_share
        expected, assumption = (
            max(ceiling * share, floor),
            f"expected_share: {share} of the maximum of {name} runs on average",
        )
    if not isinstance(ceiling, str) and expected > ceiling:
        expected, assumption = (
            ceiling,
            "; ".join(filter(None, [assumption, f"more than the maximum of {name}, which counts instead"])),
        )
    return Count(expected, floor, ceiling), assumption


@prices("azure-native:containerservice:AgentPool")
def agent_pool(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """`count` machines, within the bounds of autoscaling, and their system disks; a pool has no separate price."""
    yield from node_lines(item, (), region=place_of(item), name=item.resource.name)


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
            disregard(item.get(*at))
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
    """The names of its pools that are separate resources: a refresh writes them into the cluster too, and each is
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
        millions, assumption = expected_samples(_collected(item), "tags")
        price = item.price("managed-prometheus-samples", "1M-samples", region=region)
        usage = ("prometheus_million_samples",)
        yield item.line("Managed Prometheus samples", millions, price, assumption=assumption, usage=usage)


def _collected(item: Pricing) -> Pricing:
    """What says how many samples the cluster sends: the rule of its collectors, else the cluster itself."""
    for link in item.resources.of_type(_ASSOCIATION):
        rule = item.resources.referred(link, "dataCollectionRuleId", _RULE)
        collects = item.resources.referred(link, "resourceUri", _CLUSTER) is item.resource
        if collects and rule is not None and says_samples(item.of(rule), "tags"):
            return item.of(rule)
    return item


def _logs(item: Pricing, region: str) -> Iterator[CostLine]:
    """Container Insights: logs ingested by a Log Analytics workspace, priced there if it is in the stack."""
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
