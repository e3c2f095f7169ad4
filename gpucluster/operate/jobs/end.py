"""The end of the pods of a live cluster's jobs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import click

from gpucluster.errors import InputError
from gpucluster.operate.jobs.jobs import Job, jobs_of
from gpucluster.operate.jobs.objects import by_client, cluster_objects
from gpucluster.options import stack_option
from gpucluster.sandbox.api_server.client import Client

_EXIT_CODE: Final = "sandbox.gpucluster/exit-code"
"""Annotation of a pod: its containers exit with this code. kwok reads it (sandbox/live/nodes/stages.yaml)."""


def jobs_in(client: Client) -> list[Job]:
    """The jobs of all namespaces. Raises ObjectRefused."""
    return jobs_of(cluster_objects(by_client(client), lambda: iter(()), with_nodes=False), datetime.now(UTC))


def find(jobs: Sequence[Job], name: str, namespace: str | None) -> Job:
    """The job of a name. Raises InputError for none, or several."""
    found = [job for job in jobs if job.name == name and namespace in (None, job.namespace)]
    if len(found) == 1:
        return found[0]
    there = ", ".join(f"{job.namespace}/{job.name}" for job in (found or jobs)) or "none"
    if not found:
        raise InputError(f"there is no job {name!r}; there are: {there}")
    raise InputError(f"several jobs are called {name!r}: {there}; name the namespace of one by --namespace")


def end_pods(client: Client, job: Job, code: int, pods: Sequence[str]) -> None:
    """Their containers exit with this code. Raises ObjectRefused."""
    for name in pods:
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": job.namespace}}
        client.patch(pod, {"metadata": {"annotations": {_EXIT_CODE: str(code)}}})


_stack = stack_option("Stack of the cluster.", required=True)
_namespace = click.option(
    "--namespace", "-n", metavar="NAME", help="Namespace of the job; required if several jobs share the name."
)


@click.command()
@click.argument("name", help="Job, as `gpucluster sandbox jobs` shows it.")
@_stack
@_namespace
def finish(name: str, stack: str, namespace: str | None) -> None:
    """Finish a job: all its pods end with exit code 0."""
    _end(name, stack, namespace, 0, None)


@click.command()
@click.argument("name", help="Job, as `gpucluster sandbox jobs` shows it.")
@_stack
@_namespace
@click.option(
    "--exit-code",
    metavar="N",
    type=click.IntRange(1, 255),
    default=1,
    show_default=True,
    help="Exit code of the pod's containers.",
)
@click.option("--pod", metavar="NAME", help="Pod that fails.  [default: the first one]")
def fail(name: str, stack: str, namespace: str | None, exit_code: int, pod: str | None) -> None:
    """Fail one pod of a job."""
    _end(name, stack, namespace, exit_code, pod)


def _end(name: str, stack: str, namespace: str | None, code: int, pod: str | None) -> None:
    from gpucluster.sandbox.live.cluster import open_cluster
    from gpucluster.sandbox.project.project import current_project

    with open_cluster(current_project(), stack) as cluster:
        found = find(jobs_in(cluster.client), name, namespace)
        running = [it.name for it in found.pods if it.phase == "Running"]
        if not running:
            raise InputError(f"no pod of {found.namespace}/{name} runs; its state: gpucluster sandbox jobs")
        if pod is not None and pod not in running:
            raise InputError(f"no pod {pod!r} of {found.namespace}/{name} runs; those that do: {', '.join(running)}")
        ended = running if code == 0 else [pod or running[0]]
        end_pods(cluster.client, found, code, ended)
    click.echo(f"{found.namespace}/{name}: {', '.join(ended)} ended with exit code {code}")
