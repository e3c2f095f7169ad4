"""Managed Grafana."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.core.program.resources import Resource
from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import or_named, plain
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Free, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing


@prices("azure-native:dashboard:Grafana")
def grafana(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """Hours of the instance, and active users (`grafana_users`). The book has no price: set your own."""
    region, tier = place_of(item), item.text("sku", "name", default="Standard").lower()

    def hours() -> Iterator[CostLine]:
        price = item.price(f"managed-grafana-{tier}-hour", "hour", region=region)
        yield item.line(f"Managed Grafana, {tier}", HOURS_PER_MONTH, price, basis=f"{HOURS_PER_MONTH} h")

    def users() -> Iterator[CostLine]:
        price = item.price(f"managed-grafana-{tier}-user", "user-month", region=region)
        yield item.by_usage("Managed Grafana users", "grafana_users", price)

    for lines in (hours, users):
        yield from or_named(item, lines())


_SOURCE: Final = "https://azure.microsoft.com/pricing/details/key-vault/"


@prices("azure-native:keyvault:Key")
def key(item: Pricing) -> Iterator[Free]:
    """A software key has no charge but for operations (Key Vault price page); one in an HSM is billed by the month."""
    kind = item.text("properties", "kty", default="RSA")
    if kind.endswith("-HSM"):
        raise CannotPrice(f"a key in an HSM ({kind}): no price known")
    yield item.free("no charge except for operations, which are not counted", _SOURCE)


_WORKSPACE: Final = "azure-native:operationalinsights:Workspace"
_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_POOL: Final = "azure-native:containerservice:AgentPool"
_SETTING: Final = "azure-native:monitor:DiagnosticSetting"
_FREE_DAYS: Final = 31
"""Days that logs are kept without a charge (Azure Monitor price page)."""
_DAYS_A_MONTH: Final = Decimal(365) / 12


@dataclass(frozen=True)
class _Sent:
    """Samples that a cluster sends in a month. base, each: the assumptions, of a cluster and of a node."""

    name: str
    nodes: Decimal
    base: str
    each: str

    def gib(self, item: Pricing) -> Decimal:
        base = item.assumptions.amount(self.base) if self.base else Decimal(0)
        return base + self.nodes * item.assumptions.amount(self.each)


@prices(_WORKSPACE)
def workspace(item: Pricing) -> Iterator[CostLine | NotPriced]:
    """GiB ingested, and GiB kept beyond the free retention (Azure Monitor price page): `log_gib` and `log_kept_gib`,
    else what is assumed where a cluster's logs go there.
    """
    if (sku := item.text("sku", "name", default="PerGB2018")) != "PerGB2018":
        raise CannotPrice(f"sku.name is {sku!r}: the price book has logs billed by the GiB only")
    region, sent = place_of(item), tuple(_sent(item))
    total = item.assumptions.log_gib or sum((one.gib(item) for one in sent), Decimal(0))
    yield from or_named(item, _taken_in(item, sent, region))
    yield from or_named(item, _kept(item, total, region))


def workspace_of(item: Pricing, cluster: Resource) -> Resource | None:
    """The workspace of the stack that a cluster's agents write to."""
    return item.resources.referred(cluster, "addonProfiles", _WORKSPACE)


def _sent(item: Pricing) -> Iterator[_Sent]:
    for cluster in item.resources.of_type(_CLUSTER):
        agent = item.of(cluster).get("addonProfiles", "omsagent", "enabled")
        if agent and workspace_of(item, cluster) is item.resource:
            yield _Sent("Pod logs ingested", _nodes(item, cluster), "", "pod_log_gib_per_node")
    for setting in item.resources.of_type(_SETTING):
        cluster = item.resources.referred(setting, "resourceUri", _CLUSTER)
        if cluster is not None and item.resources.referred(setting, "workspaceId", _WORKSPACE) is item.resource:
            yield _Sent("Control-plane logs ingested", _nodes(item, cluster), "aks_log_gib", "aks_log_gib_per_node")


def _nodes(item: Pricing, cluster: Resource) -> Decimal:
    """Nodes of the cluster's own pools and of those that are resources."""
    inside = item.of(cluster)
    counted: list[tuple[Pricing, tuple[str | int, ...]]] = [
        (inside, ("agentPoolProfiles", index)) for index in range(len(inside.items("agentPoolProfiles")))
    ]
    for pool in item.resources.of_type(_POOL):
        if item.resources.referred(pool, "resourceName", _CLUSTER) in (cluster, None):
            counted.append((item.of(pool), ()))
    total = Decimal(0)
    for where, at in counted:
        try:
            total += where.number(*at, "count", default=0)
        except CannotPrice:  # it is named with its own resource
            continue
    return total


def _taken_in(item: Pricing, sent: tuple[_Sent, ...], region: str) -> Iterator[CostLine]:
    price = item.price("log-analytics-ingest", "GiB", region=region)
    if item.assumptions.log_gib or not sent:
        yield item.by_usage("Logs ingested", "log_gib", price)
        return
    for one in sent:
        used = tuple(filter(None, (one.base, one.each)))
        assumption = ", ".join(item.assumptions.text(name) for name in used)
        gib = one.gib(item)
        yield item.line(
            one.name,
            gib,
            price,
            basis=f"{plain(gib)} GiB",
            assumption=f"our estimate for {plain(one.nodes)} nodes: {assumption}",
            usage=("log_gib", *used),
        )


def _kept(item: Pricing, gib: Decimal, region: str) -> Iterator[CostLine]:
    """gib: taken in each month."""
    further = max(item.number("retentionInDays", default=_FREE_DAYS) - _FREE_DAYS, Decimal(0))
    if not further and item.get("retentionInDays") is not None and not item.assumptions.amount("log_kept_gib"):
        return
    name, price = "Logs kept beyond 31 days", item.price("log-analytics-retention", "GiB-month", region=region)
    if item.assumptions.amount("log_kept_gib") or not further:
        yield item.by_usage(name, "log_kept_gib", price)
        return
    kept = (gib * further / _DAYS_A_MONTH).quantize(Decimal("0.01"))
    note = f"{plain(gib)} GiB a month, each for {plain(further)} days beyond the {_FREE_DAYS} that are free"
    yield item.line(name, kept, price, basis=f"{plain(kept)} GiB", assumption=note, usage=("log_gib", "log_kept_gib"))
