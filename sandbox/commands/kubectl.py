"""`gpucluster sandbox kubectl`: runs Kubernetes' own client on the real API server of a simulated cluster."""

from __future__ import annotations

import os
import subprocess
import sys

import click

from gpucluster.options import stack_option
from gpucluster.sandbox.project.project import current_project


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": ["--help"]}
)
@stack_option("Stack of the cluster.  [default: the selected one]")
@click.argument("args", nargs=-1, type=click.UNPROCESSED, help="Command and options of kubectl.")
def kubectl(stack: str | None, args: tuple[str, ...]) -> None:
    """Run kubectl on a cluster of the sandbox.

    For example `gpucluster sandbox kubectl get nodepools`. The exit code is kubectl's. The API server starts with every
    object of the cluster, and stops after the command. Objects that kubectl creates exist until the cluster is
    destroyed. No controller runs, so no pods are created, unless it is a live cluster: `--kubernetes live`.
    """
    # Imported late: it would delay every `gpucluster sandbox pulumi`.
    from gpucluster.sandbox.api_server.binaries import find_binaries
    from gpucluster.sandbox.clouds.kubernetes.api_server import RealServers
    from gpucluster.sandbox.clouds.kubernetes.objects import api_servers
    from gpucluster.sandbox.live.cluster import LiveCompanions
    from gpucluster.sandbox.project.environment import environment
    from gpucluster.sandbox.state.selected_cluster import cluster_of

    project = current_project()
    binaries = find_binaries()
    with project.store.open_ledger() as ledger:
        cluster = cluster_of(project, stack)
        with RealServers(project.store.servers, binaries, ledger, LiveCompanions()) as servers:
            server = servers.at(api_servers(cluster)[0])
            project.store.prepare()
            variables = environment(os.environ, project.store) | {"KUBECONFIG": str(server.write_kubeconfig())}
            done = subprocess.run([str(binaries.kubectl), *args], env=variables, check=False)
    sys.exit(done.returncode)
