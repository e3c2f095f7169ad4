"""`gpucluster jobs`, and the same of the sandbox."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, TypeVar, cast

import click

from gpucluster.core.documents.formats import write
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.estimate.teams import team_costs
from gpucluster.errors import InputError
from gpucluster.operate.acceptance.runs.collect import Kubectl
from gpucluster.operate.jobs.cost import By, cost_of
from gpucluster.operate.jobs.document import Found, jobs_document
from gpucluster.operate.jobs.jobs import jobs_of
from gpucluster.operate.jobs.objects import ClusterObjects, by_client, by_kubectl, cluster_objects, logs_by_kubectl
from gpucluster.operate.rehearse.controller_logs import live_logs
from gpucluster.options import form_of, stack_option

_BY: Final = ("team", "user", "day")

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _options(command: _Command) -> _Command:
    command = form_of("table", "json")(command)
    command = click.option("--cost", is_flag=True, help="Add GPU-hours and dollars so far.")(command)
    by = click.option("--by", type=click.Choice(_BY), help="Print sums of GPU-hours and dollars, instead of jobs.")
    return by(command)


@click.command()
@_options
@click.option("--context", metavar="NAME", help="Context of your kubeconfig.  [default: the current one]")
@click.option("--namespace", "-n", metavar="NAME", help="Namespace of the jobs.  [default: that of the context]")
@click.option("--all-namespaces", "-A", is_flag=True, help="Jobs of all namespaces; for administrators.")
@stack_option("Stack of the cluster, for its own prices and teams.  [default: list prices]")
def jobs(
    by: str | None,
    cost: bool,
    form: str,
    context: str | None,
    namespace: str | None,
    all_namespaces: bool,
    stack: str | None,
) -> None:
    """List jobs: state, place in the queue, reason and cost.

    Reads Kueue's records, the jobs and their pods through kubectl. A user is the job's label gpucluster/user, a team
    its namespace. Prices are those of the machines, as their nodes or the flavors of their queues name them.
    """
    from gpucluster.operate.account.pulumi import users_pulumi
    from gpucluster.operate.account.stack_status import stack_status

    if namespace and all_namespaces:
        raise InputError("command line", ["--namespace and --all-namespaces exclude each other; remove one"])
    if stack is not None and not (cost or by):
        raise InputError("command line", ["--stack is for prices; add --cost or --by, or remove it"])
    kubectl = Kubectl(context, namespace)
    read = by_kubectl(kubectl, *(["--all-namespaces"] if all_namespaces else []))
    objects = cluster_objects(read, lambda: logs_by_kubectl(kubectl), with_nodes=cost or by is not None)
    estimate = None
    if stack is not None:
        pulumi = users_pulumi("read the stack", "leave --stack out for list prices")
        estimate = stack_status(pulumi, stack).cost
    _print(objects, estimate, by, form, cost=cost, everywhere=all_namespaces)


@click.command("jobs")
@_options
@stack_option("Stack of the cluster.  [default: the selected one]")
def in_sandbox(by: str | None, cost: bool, form: str, stack: str | None) -> None:
    """List jobs of a live cluster.

    As `gpucluster jobs`: state, place in the queue, reason and cost, of all namespaces and by the stack's own prices.
    """
    from gpucluster.operate.rehearse.command import stack_estimate
    from gpucluster.sandbox.live.cluster import open_cluster
    from gpucluster.sandbox.project.project import current_project
    from gpucluster.sandbox.state.compare import stack_of
    from gpucluster.sandbox.state.selected_cluster import cluster_of

    project = current_project()
    with open_cluster(project, stack) as cluster:
        objects = cluster_objects(
            by_client(cluster.client), lambda: iter(live_logs(cluster.folder)), with_nodes=cost or by is not None
        )
    estimate = stack_estimate(project, stack_of(cluster_of(project, stack).urn)) if cost or by else None
    _print(objects, estimate, by, form, cost=cost)


def _print(
    objects: ClusterObjects,
    estimate: Estimate | None,
    by: str | None,
    form: str,
    *,
    cost: bool,
    everywhere: bool = True,
) -> None:
    now = datetime.now(UTC)
    found = jobs_of(objects, now)
    costs = [cost_of(job, objects, estimate, now) for job in found] if cost or by else []
    plan = team_costs(estimate) if estimate is not None else ()
    shown = Found(jobs=found, costs=costs, by=cast(By | None, by), plan=plan, now=now, everywhere=everywhere)
    write(jobs_document(shown), form, sys.stdout)
