"""Remarks on a live cluster: running programs, differences from their charts, and parts that do not run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from gpucluster.sandbox.api_server.binaries import VERSION
from gpucluster.sandbox.clouds.kubernetes.clusters import cluster_at
from gpucluster.sandbox.clouds.kubernetes.definitions import chart_of, known_chart
from gpucluster.sandbox.clouds.kubernetes.objects import RELEASE, name_of, object_id
from gpucluster.sandbox.clouds.ledger import Entry
from gpucluster.sandbox.clouds.values import plain
from gpucluster.sandbox.live import karpenter
from gpucluster.sandbox.live.charts.fetch import CHARTS
from gpucluster.sandbox.live.keeper import IDLE_MINUTES
from gpucluster.sandbox.live.nodes.growth import never_grown
from gpucluster.sandbox.live.release import REPLACED
from gpucluster.sandbox.live.site import Site

_ADDON: Final = "aws:eks/addon:Addon"
_UNASKED: Final = "  an earlier `--kubernetes live` made it a live cluster: its controllers run with `real`, too"
_DAEMONS: Final = ("DaemonSet", "Deployment", "StatefulSet")


def remarks(site: Site, names: Sequence[str], left_out: Sequence[str], *, asked: bool) -> list[str]:
    """names: of the running programs. left_out: why machines have no node. asked: whether this run requests
    controllers.
    """
    releases = site.ledger.find("kubernetes", site.scope, RELEASE)
    absent = [*(chart_of(entry) for entry in releases if not _runs(entry, names)), *_addons(site)]
    pods = [entry.id for entry in site.ledger.all() if entry.scope == site.scope and _is_daemon(entry, names)]
    return [
        f"Live cluster, Kubernetes {VERSION}: {', '.join(names)}",
        f"  until `pulumi destroy`, `gpucluster sandbox stop` or {IDLE_MINUTES:.0f} minutes without use",
        *([] if asked else [_UNASKED]),
        *([f"  other than in the values of their charts: {REPLACED}"] if {*names} & _programs() else []),
        *_other_versions(releases),
        *(f"  {line}" for line in karpenter.said_of(site)),
        *(f"  {line}" for line in _without_autoscaler(site)),
        *([f"  not running here: {', '.join(sorted(absent))}"] if absent else []),
        *([f"  pods without their programs: {', '.join(sorted(pods))}"] if pods else []),
        *(f"  no nodes of {line}" for line in left_out),
    ]


def _programs() -> set[str]:
    return {chart.program for chart in CHARTS.values()}


def _runs(entry: Entry, names: Sequence[str]) -> bool:
    """Whether the programs of a release run; one with only definitions has none."""
    chart = chart_of(entry)
    own = CHARTS.get(known_chart(plain(entry.inputs)))
    return chart in names or chart.endswith("-crd") or (own is not None and own.program in names)


def _other_versions(releases: Sequence[Entry]) -> Iterator[str]:
    for entry in releases:
        values: Any = plain(entry.inputs)
        chart, wanted = CHARTS.get(known_chart(values)), str(values.get("version") or "").removeprefix("v")
        if chart is not None and wanted != chart.version:
            yield f"  {object_id(values)}: {chart.name} {chart.version} runs, the stack has {wanted or 'no version'}"


def _addons(site: Site) -> list[str]:
    """Programs that the cloud installs and lists as its own resources: the add-ons of EKS."""
    cluster = cluster_at(site.ledger, site.scope)
    if cluster is None:
        return []
    addons: list[Any] = [plain(entry.inputs) for entry in site.ledger.of_types([_ADDON])]
    return [str(addon.get("addonName")) for addon in addons if addon.get("clusterName") == cluster.name]


def _without_autoscaler(site: Site) -> Iterator[str]:
    cluster = cluster_at(site.ledger, site.scope)
    for name in never_grown(site.ledger.all(), cluster, site.scope) if cluster is not None else []:
        yield f"pool {name}: no machine starts here, because the cloud's own autoscaler does not run"


def _is_daemon(entry: Entry, names: Sequence[str]) -> bool:
    """Whether it has pods with a program that is none of these."""
    daemon = entry.provider == "kubernetes" and entry.type.rsplit(":", 1)[-1] in _DAEMONS
    return daemon and name_of(entry.inputs) not in names
