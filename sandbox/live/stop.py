"""`gpucluster sandbox stop`: stops a live cluster and keeps its objects."""

from __future__ import annotations

import click

from gpucluster.options import STACK
from gpucluster.sandbox.clouds.kubernetes.clusters import api_servers
from gpucluster.sandbox.project import current_project


@click.command()
@click.option("--stack", "-s", type=STACK, help="Stack of the cluster; required if several have one.")
def stop(stack: str | None) -> None:
    """Stop a live cluster.

    Stops its controllers and its API server. Its objects are kept: the next command that uses it starts it with them.
    """
    # Imported late: it would delay every `gpucluster sandbox pulumi`.
    from gpucluster.sandbox.clouds.kubernetes.real import server_folder
    from gpucluster.sandbox.cluster_of import cluster_of
    from gpucluster.sandbox.live import supervisor

    project = current_project()
    cluster = cluster_of(project, stack, living=True)
    stopped = supervisor.stop(server_folder(project.store.servers, api_servers(cluster)[0]))
    click.echo(f"Stopped {cluster.name}." if stopped else f"{cluster.name} does not run.", err=True)
