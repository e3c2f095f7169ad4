"""`gpucluster sandbox job`: the jobs of a live cluster, and their end."""

from __future__ import annotations

import json
from dataclasses import asdict

import click

from gpucluster.errors import InputError
from gpucluster.options import STACK, form_of

_stack = click.option("--stack", "-s", type=STACK, help="Stack of the cluster; required if several have one.")
_namespace = click.option("--namespace", "-n", help="Namespace of the job; required if several jobs share the name.")


@click.group()
def job() -> None:
    """List and end jobs of a live cluster.

    No container runs here: a job runs until one of these commands ends its pods.
    """


@job.command("list")
@_stack
@form_of("table", "json")
def list_(stack: str | None, form: str) -> None:
    """List the jobs: queue, state, pods and their nodes."""
    from gpucluster.sandbox.live.cluster import open_cluster
    from gpucluster.sandbox.live.jobs import jobs_of
    from gpucluster.sandbox.project import current_project

    with open_cluster(current_project(), stack) as cluster:
        found = jobs_of(cluster.client)
    if form == "json":
        click.echo(json.dumps({"schema_version": 1, "jobs": [asdict(it) for it in found]}, indent=2))
        return
    for it in found:
        click.echo(f"{it.namespace}/{it.name}  {it.kind}  queue {it.queue}  {it.state}")
        for pod in it.pods:
            click.echo(f"  {pod['name']}  {pod['phase']}  {pod['node'] or 'on no node'}")


@job.command()
@click.argument("name", help="Job, as `gpucluster sandbox job list` shows it.")
@_stack
@_namespace
def finish(name: str, stack: str | None, namespace: str | None) -> None:
    """Finish a job: all its pods end with exit code 0."""
    _end(name, stack, namespace, 0, None)


@job.command()
@click.argument("name", help="Job, as `gpucluster sandbox job list` shows it.")
@_stack
@_namespace
@click.option(
    "--exit-code", type=click.IntRange(1, 255), default=1, show_default=True, help="Exit code of the pod's containers."
)
@click.option("--pod", help="Pod that fails.  [default: the first one]")
def fail(name: str, stack: str | None, namespace: str | None, exit_code: int, pod: str | None) -> None:
    """Fail one pod of a job."""
    _end(name, stack, namespace, exit_code, pod)


def _end(name: str, stack: str | None, namespace: str | None, code: int, pod: str | None) -> None:
    from gpucluster.sandbox.live.cluster import open_cluster
    from gpucluster.sandbox.live.jobs import end_pods, find, jobs_of
    from gpucluster.sandbox.project import current_project

    with open_cluster(current_project(), stack) as cluster:
        found = find(jobs_of(cluster.client), name, namespace)
        running = [it["name"] for it in found.pods if it["phase"] == "Running"]
        if not running:
            raise InputError(f"no pod of {found.namespace}/{name} runs; its state: {found.state}")
        if pod is not None and pod not in running:
            raise InputError(f"no pod {pod!r} of {found.namespace}/{name} runs; those that do: {', '.join(running)}")
        ended = running if code == 0 else [pod or running[0]]
        end_pods(cluster.client, found, code, ended)
    click.echo(f"{found.namespace}/{name}: {', '.join(ended)} ended with exit code {code}")
