"""A live cluster for commands and tests: started if needed, and kept running during their use."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.kubernetes.api_server import RealServers
from gpucluster.sandbox.clouds.kubernetes.clusters import api_servers
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.live.companions import LiveCompanions
from gpucluster.sandbox.live.supervisor import FOLDER
from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.state.selected_cluster import cluster_of


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
