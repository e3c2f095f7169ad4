"""`gpucluster sandbox logs`: the log of a live cluster's controller."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

import click

from gpucluster.errors import InputError
from gpucluster.options import stack_option
from gpucluster.sandbox.api_server.keeper import older
from gpucluster.sandbox.clouds.kubernetes.objects import api_servers
from gpucluster.sandbox.project.project import current_project

_TICK_SECONDS: Final = 0.2
_OF_THE_SERVER: Final = {"kube-apiserver": "api-server.log", "etcd": "etcd.log"}


@click.command()
@click.argument("name", help="Controller, such as kueue; an unknown name lists all.")
@click.option("--follow", "-f", is_flag=True, help="Follow the log until interrupted.")
@stack_option("Stack of the cluster.  [default: the selected one]")
def logs(name: str, follow: bool, stack: str | None) -> None:
    """Print the log of a controller of a live cluster.

    Shows the last 16 to 32 MiB since its last start. kube-apiserver and etcd have logs too.
    """
    # Imported late: it would delay every `gpucluster sandbox pulumi`.
    from gpucluster.sandbox.clouds.kubernetes.api_server import server_folder
    from gpucluster.sandbox.live.supervisor import FOLDER
    from gpucluster.sandbox.state.selected_cluster import cluster_of

    store = current_project().store
    server = server_folder(store.servers, api_servers(cluster_of(current_project(), stack, living=True))[0])
    there = {name: server / file for name, file in _OF_THE_SERVER.items()}
    there |= {file.stem: file for file in (server / FOLDER).glob("*.log")}
    there = {name: file for name, file in there.items() if file.exists()}
    if not there:
        raise InputError("nothing has run in this cluster; start it: gpucluster sandbox --kubernetes live pulumi up")
    if name not in there:
        raise InputError(f"there is no log {name!r}; there are: {', '.join(sorted(there))}")
    if older(there[name]).exists():
        click.echo(older(there[name]).read_text(errors="replace"), nl=False)
    _print(there[name], follow)


def _print(file: Path, follow: bool) -> None:
    with file.open(errors="replace") as log:
        while True:
            text = log.read()
            if text:
                click.echo(text, nl=False)
            elif not follow:
                return
            else:
                time.sleep(_TICK_SECONDS)
                if file.exists() and os.fstat(log.fileno()).st_size < log.tell():
                    log.seek(0)  # The program was restarted, or the log had become too long.


@click.command()
@stack_option("Stack of the cluster.", required=True)
def stop(stack: str) -> None:
    """Stop a live cluster.

    Stops its controllers and its API server. Its objects are kept: the next command that uses it starts it with them.
    """
    # Imported late: it would delay every `gpucluster sandbox pulumi`.
    from gpucluster.sandbox.clouds.kubernetes.api_server import server_folder
    from gpucluster.sandbox.live import supervisor
    from gpucluster.sandbox.state.selected_cluster import cluster_of

    project = current_project()
    cluster = cluster_of(project, stack, living=True)
    stopped = supervisor.stop(server_folder(project.store.servers, api_servers(cluster)[0]))
    click.echo(f"Stopped {cluster.name}." if stopped else f"{cluster.name} does not run.", err=True)
