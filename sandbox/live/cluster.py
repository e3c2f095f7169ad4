"""Live clusters: their controllers, remarks on them, and a cluster for commands and tests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpucluster.sandbox.api_server.binaries import VERSION, find_binaries
from gpucluster.sandbox.api_server.client import Client, ObjectRefused
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.kubernetes.api_server import RealServers
from gpucluster.sandbox.clouds.kubernetes.definitions import chart_of, known_chart
from gpucluster.sandbox.clouds.kubernetes.objects import (
    RELEASE,
    api_servers,
    cluster_at,
    name_of,
    namespace_of,
    object_id,
)
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.values import plain
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.find import say_on_stderr
from gpucluster.sandbox.live import karpenter
from gpucluster.sandbox.live.charts import CHARTS, Chart
from gpucluster.sandbox.live.controllers import Site, control_plane, kuberay, scripts
from gpucluster.sandbox.live.fleet import SECRET, with_local_access
from gpucluster.sandbox.live.keeper import IDLE_MINUTES
from gpucluster.sandbox.live.nodes.fleet import never_grown, sync
from gpucluster.sandbox.live.release import REPLACED, Running, running
from gpucluster.sandbox.live.supervisor import FOLDER, INSTALLED, Supervisor, open_supervisor
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.state.selected_cluster import cluster_of

_ADDON: Final = "aws:eks/addon:Addon"
_NOT_REQUESTED: Final = "  an earlier `--kubernetes live` made it a live cluster: its controllers run with `real`, too"
_SLURM: Final = "  slurm-operator: no slurmrestd answers it here, so it does not ask Slurm for the state of its nodes"
_DAEMONS: Final = ("DaemonSet", "Deployment", "StatefulSet")


def remarks(site: Site, names: Sequence[str], left_out: Sequence[str], *, requested: bool) -> list[str]:
    """names: of the running programs. left_out: why machines have no node. requested: whether this run requests
    controllers.
    """
    releases = site.ledger.find("kubernetes", site.scope, RELEASE)
    absent = [*(chart_of(entry) for entry in releases if not _runs(entry, names)), *_addons(site)]
    pods = [entry.id for entry in site.ledger.all() if entry.scope == site.scope and _is_daemon(entry, names)]
    return [
        f"Live cluster, Kubernetes {VERSION}: {', '.join(names)}",
        f"  until `pulumi destroy`, `gpucluster sandbox stop --stack NAME` or {IDLE_MINUTES:.0f} minutes without use",
        *([] if requested else [_NOT_REQUESTED]),
        *([f"  other than in the values of their charts: {REPLACED}"] if {*names} & _programs() else []),
        *_other_versions(releases),
        *([_SLURM] if "slurm-operator" in names else []),
        *(f"  {line}" for line in karpenter.karpenter_remarks(site)),
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
    return chart in names or chart.endswith(("-crd", "-crds")) or (own is not None and own.program in names)


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


def _put_nodes(site: Site) -> Sequence[str]:
    """Updates the nodes of an existing cluster to the ledger; returns why some machines have no node, in lines.

    Raises EngineError.
    """
    cluster = cluster_at(site.ledger, site.scope)
    assert cluster is not None
    try:
        return sync(site.client, site.ledger.all(), cluster).left_out
    except ObjectRefused as refusal:
        raise EngineError(f"The API server refuses a node: {refusal}") from refusal


@dataclass(frozen=True, kw_only=True)
class LiveCompanions:
    """all_live: every cluster of the run becomes live; otherwise only those that already were."""

    all_live: bool = False

    def wanted(self, folder: Path) -> bool:
        """Whether the cluster with its server's files in `folder` is live."""
        return self.all_live or (folder / FOLDER).is_dir()

    @contextmanager
    def open(self, server: Server, client: Client, ledger: Ledger, scope: str) -> Generator[LiveCompanion]:
        """Its controllers, started if needed. Raises EngineError."""
        with open_supervisor(server.folder) as supervisor:
            site = Site(
                server=server, client=client, ledger=ledger, scope=scope, folder=supervisor.folder, say=say_on_stderr
            )
            companion = LiveCompanion(site, supervisor, requested=self.all_live)
            companion.start()
            yield companion


class LiveCompanion:
    """The controllers of one cluster."""

    def __init__(self, site: Site, supervisor: Supervisor, *, requested: bool) -> None:
        """requested: whether this run requests them; otherwise an earlier one did."""
        self._requested = requested
        self._site = site
        self._supervisor = supervisor
        self._file = site.folder / INSTALLED

    def start(self) -> None:
        """Starts the controllers of all releases in the ledger."""
        with self._supervisor.changing():
            self._supervisor.run(*control_plane(self._site))
            self._install([plain(entry.inputs) for entry in self._releases()])
        self.settle()

    def install(self, release: Mapping[str, Any]) -> None:
        with self._supervisor.changing():
            self._install([plain(release)])

    def remove(self, release: Mapping[str, Any]) -> None:
        with self._supervisor.changing():
            self._remove(release)

    def _remove(self, release: Mapping[str, Any]) -> None:
        installed = self._installed()
        found = installed.pop(object_id(plain(release)), None)
        if found is None:
            return
        for webhook in found["webhooks"]:
            self._site.client.delete(webhook)
        self._supervisor.end(found["program"])
        self._file.write_text(json.dumps(installed))

    def local(self, token: str, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        return with_local_access(self._site, inputs) if token == SECRET else inputs

    def settle(self) -> Sequence[str]:
        if cluster_at(self._site.ledger, self._site.scope) is None:
            return []  # This run has destroyed it.
        with self._supervisor.changing():
            nodes = _put_nodes(self._site)
            found = [karpenter.controller(self._site), kuberay(self._site)]
            self._supervisor.run(*filter(None, found), *scripts(self._site))
        return remarks(self._site, self._supervisor.names(), nodes, requested=self._requested)

    def _releases(self) -> Iterable[Any]:
        return self._site.ledger.find("kubernetes", self._site.scope, RELEASE)

    def _install(self, releases: Sequence[Mapping[str, Any]]) -> None:
        """Starts new controllers; all at once, since each takes time to start."""
        installed = self._installed()
        found: list[tuple[str, str, Running]] = []
        for release in releases:
            chart = CHARTS.get(known_chart(release))
            id_, digest = object_id(release), hashlib.sha256(json.dumps(release, sort_keys=True).encode()).hexdigest()
            if chart is not None and installed.get(id_, {}).get("digest") != digest:
                found.append((id_, digest, self._prepared(chart, release)))
        self._supervisor.run(*(it.controller for _, _, it in found))
        for id_, digest, it in found:
            _apply(self._site.client, it.webhooks)
            webhooks = [{key: item[key] for key in ("apiVersion", "kind", "metadata")} for item in it.webhooks]
            installed[id_] = {"digest": digest, "program": it.controller.name, "webhooks": webhooks}
        if found:
            self._file.write_text(json.dumps(installed))

    def _prepared(self, chart: Chart, release: Mapping[str, Any]) -> Running:
        prepared = running(chart, release, self._site)
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace_of(release)}}
        if self._site.client.get(namespace) is None:
            _apply(self._site.client, [namespace])
        _apply(self._site.client, prepared.objects)
        return prepared

    def _installed(self) -> dict[str, Any]:
        return json.loads(self._file.read_text()) if self._file.exists() else {}


def _apply(client: Client, documents: Iterable[Mapping[str, Any]]) -> None:
    for document in documents:
        try:
            client.apply(document)
        except ObjectRefused as refusal:
            name = f"{document['kind']} {document['metadata']['name']}"
            raise EngineError(f"The API server refuses {name}, which a chart brings: {refusal}") from refusal


@dataclass(frozen=True, kw_only=True)
class LiveCluster:
    """scope: its address, which identifies its objects in the ledger. folder: of its controllers' logs."""

    server: Server
    client: Client
    kubeconfig: Path
    kubectl: Path
    ledger: Ledger
    scope: str
    folder: Path


@contextmanager
def open_cluster(project: Project, stack: str | None = None) -> Generator[LiveCluster]:
    """The cluster of a stack, by default of the selected one; it becomes a live cluster.

    Raises InputError for none or several, CloudError and EngineError if it does not start.
    """
    scope = api_servers(cluster_of(project, stack, living=True))[0]
    project.store.prepare()
    binaries = find_binaries()
    with (
        project.store.in_use(),
        project.store.open_ledger() as ledger,
        RealServers(project.store.servers, binaries, ledger, LiveCompanions(all_live=True)) as servers,
    ):
        opened = servers.at(scope)
        yield LiveCluster(
            server=opened.server,
            client=opened.client,
            kubeconfig=opened.write_kubeconfig(),
            kubectl=binaries.kubectl,
            ledger=ledger,
            scope=scope,
            folder=opened.server.folder / FOLDER,
        )
