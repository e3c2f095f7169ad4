"""Stops processes of deleted clusters."""

from __future__ import annotations

import shutil

from gpucluster.sandbox.api_server.server import in_use
from gpucluster.sandbox.clouds.kubernetes.clusters import api_servers
from gpucluster.sandbox.clouds.kubernetes.real import server_folder
from gpucluster.sandbox.live.supervisor import stop
from gpucluster.sandbox.project import Store


def sweep(store: Store) -> None:
    """Stops the controllers of every cluster that is no longer in the ledger, and removes their files."""
    clusters = (api_servers(entry) for entry in store.existing())
    there = {server_folder(store.servers, servers[0]).name for servers in clusters if servers}
    for folder in store.servers.iterdir():
        if folder.name not in there:
            stop(folder)
            if not in_use(folder):
                shutil.rmtree(folder, ignore_errors=True)
