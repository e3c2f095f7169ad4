"""Log Analytics workspaces, with what is assumed of those that the logs of a cluster go to."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.azure_place import place_of
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.registry import prices
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import CostLine, NotPriced
from gpucluster.cost.subject import CannotPrice, Subject
from gpucluster.program.resources import Resource
from gpucluster.record import record

__all__ = ["workspace_of"]

_WORKSPACE: Final = "azure-native:operationalinsights:Workspace"
_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_POOL: Final = "azure-native:containerservice:AgentPool"
_SETTING: Final = "azure-native:monitor:DiagnosticSetting"
_FREE_DAYS: Final = 31
"""Days that logs are kept without a charge (Azure Monitor price page)."""
_DAYS_A_MONTH: Final = Decimal(365) / 12


@record
class _Sent:
    """What a cluster sends in a month. base, each: the assumptions, of a cluster and of a node."""

    name: str
    nodes: Decimal
    base: str
    each: str

    def gib(self, ask: Subject) -> Decimal:
        base = ask.assumptions.amount(self.base) if self.base else Decimal(0)
        return base + self.nodes * ask.assumptions.amount(self.each)


@prices(_WORKSPACE)
def workspace(ask: Subject) -> Iterator[CostLine | NotPriced]:
    """GiB taken in, and those kept for longer than is free (Azure Monitor price page): `log_gib` and `log_kept_gib`,
    else what is assumed where a cluster's logs go there.
    """
    if (sku := ask.text("sku", "name", default="PerGB2018")) != "PerGB2018":
        raise CannotPrice(f"sku.name is {sku!r}: the price book has logs paid by the GiB alone")
    region, sent = place_of(ask), tuple(_sent(ask))
    total = ask.assumptions.log_gib or sum((one.gib(ask) for one in sent), Decimal(0))
    yield from or_named(ask, _taken_in(ask, sent, region))
    yield from or_named(ask, _kept(ask, total, region))


def workspace_of(ask: Subject, cluster: Resource) -> Resource | None:
    """The workspace of the stack that a cluster's agents write to."""
    return ask.resources.referred(cluster, "addonProfiles", _WORKSPACE)


def _sent(ask: Subject) -> Iterator[_Sent]:
    for cluster in ask.resources.of_type(_CLUSTER):
        agent = ask.of(cluster).get("addonProfiles", "omsagent", "enabled")
        if agent and workspace_of(ask, cluster) is ask.resource:
            yield _Sent("Pod logs taken in", _nodes(ask, cluster), "", "pod_log_gib_per_node")
    for setting in ask.resources.of_type(_SETTING):
        cluster = ask.resources.referred(setting, "resourceUri", _CLUSTER)
        if cluster is not None and ask.resources.referred(setting, "workspaceId", _WORKSPACE) is ask.resource:
            yield _Sent("Control-plane logs taken in", _nodes(ask, cluster), "aks_log_gib", "aks_log_gib_per_node")


def _nodes(ask: Subject, cluster: Resource) -> Decimal:
    """Nodes of the cluster's own pools and of those that are resources."""
    inside = ask.of(cluster)
    counted: list[tuple[Subject, tuple[str | int, ...]]] = [
        (inside, ("agentPoolProfiles", index)) for index in range(len(inside.items("agentPoolProfiles")))
    ]
    for pool in ask.resources.of_type(_POOL):
        if ask.resources.referred(pool, "resourceName", _CLUSTER) in (cluster, None):
            counted.append((ask.of(pool), ()))
    total = Decimal(0)
    for where, at in counted:
        try:
            total += where.number(*at, "count", default=0)
        except CannotPrice:  # it is named with its own resource
            continue
    return total


def _taken_in(ask: Subject, sent: tuple[_Sent, ...], region: str) -> Iterator[CostLine]:
    price = ask.price("log-analytics-ingest", "GiB", region=region)
    if ask.assumptions.log_gib or not sent:
        yield ask.by_usage("Logs taken in", "log_gib", price)
        return
    for one in sent:
        used = tuple(filter(None, (one.base, one.each)))
        said = ", ".join(ask.assumptions.said(name) for name in used)
        gib = one.gib(ask)
        yield ask.line(
            one.name,
            gib,
            price,
            basis=f"{plain(gib)} GiB",
            assumption=f"our estimate for {plain(one.nodes)} nodes: {said}",
            usage=("log_gib", *used),
        )


def _kept(ask: Subject, gib: Decimal, region: str) -> Iterator[CostLine]:
    """gib: taken in each month."""
    further = max(ask.number("retentionInDays", default=_FREE_DAYS) - _FREE_DAYS, Decimal(0))
    if not further and ask.get("retentionInDays") is not None and not ask.assumptions.amount("log_kept_gib"):
        return
    name, price = "Logs kept beyond 31 days", ask.price("log-analytics-retention", "GiB-month", region=region)
    if ask.assumptions.amount("log_kept_gib") or not further:
        yield ask.by_usage(name, "log_kept_gib", price)
        return
    kept = (gib * further / _DAYS_A_MONTH).quantize(Decimal("0.01"))
    said = f"{plain(gib)} GiB a month, each for {plain(further)} days beyond the {_FREE_DAYS} that are free"
    yield ask.line(name, kept, price, basis=f"{plain(kept)} GiB", assumption=said, usage=("log_gib", "log_kept_gib"))
