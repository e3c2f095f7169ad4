"""`gpucluster sandbox kubectl`: Kubernetes' own client on the real API server of a simulated cluster."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import click

from gpucluster.errors import InputError
from gpucluster.sandbox.project import current_project
from gpucluster.sandbox.recovery.compare import stack_of

if TYPE_CHECKING:
    from gpucluster.sandbox.clouds.ledger import Entry
    from gpucluster.sandbox.project import Project

__all__ = ["kubectl"]


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False, "help_option_names": ["--help"]}
)
@click.option("--stack", "-s", help="Stack of the cluster; needed where several have one.")
@click.argument("args", nargs=-1, type=click.UNPROCESSED, help="Command and options of kubectl.")
def kubectl(stack: str | None, args: tuple[str, ...]) -> None:
    """Run kubectl on a cluster of the sandbox.

    As in `gpucluster sandbox kubectl get nodepools`. The exit code is kubectl's. The API server is started for it, with
    every object of the cluster in it, and ended afterwards. What kubectl makes
    stays until the cluster is destroyed. No controller runs: nothing makes pods of what is there.
    """
    # Imported late: every `gpucluster sandbox pulumi` would wait for it.
    from gpucluster.sandbox.api_server.binaries import find_binaries
    from gpucluster.sandbox.clouds.kubernetes.clusters import api_servers
    from gpucluster.sandbox.clouds.kubernetes.real import RealServers
    from gpucluster.sandbox.environment import environment

    project = current_project()
    binaries = find_binaries()
    with project.store.open_ledger() as ledger:
        cluster = _cluster(project, stack)
        with RealServers(project.store.servers, binaries, ledger) as servers:
            server = servers.at(api_servers(cluster)[0])
            project.store.prepare()
            variables = environment(os.environ, project.store) | {"KUBECONFIG": str(server.write_kubeconfig())}
            done = subprocess.run([str(binaries.kubectl), *args], env=variables, check=False)
    sys.exit(done.returncode)


def _cluster(project: Project, stack: str | None) -> Entry:
    """The one cluster that is meant. Raises InputError where there is none or more than one."""
    from gpucluster.sandbox import stacks
    from gpucluster.sandbox.clouds.kubernetes.clusters import api_servers

    clusters = [entry for entry in project.store.existing() if api_servers(entry)]
    named = stack or stacks.selected(project)
    found = [entry for entry in clusters if named is None or stack_of(entry.urn) == named]
    if len(found) == 1:
        return found[0]
    there = ", ".join(sorted({stack_of(entry.urn) for entry in clusters}))
    if not clusters:
        raise InputError(
            "no cluster stands in the simulated clouds; make one: gpucluster sandbox --kubernetes real pulumi up"
        )
    if not found:
        raise InputError(f"the stack {named!r} has no cluster; stacks with one: {there}; name it by --stack")
    raise InputError(f"several clusters stand; name the stack of one by --stack: {there}")
