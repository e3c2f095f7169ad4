"""`gpucluster connect`, and the same for a cluster of the sandbox."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from gpucluster.account.answers import Pushed
from gpucluster.account.connect.check import Context, missing
from gpucluster.account.connect.kubeconfig import Entry, default_file, edit, with_context
from gpucluster.account.connect.stack import Found, pushing, read_stack
from gpucluster.account.pulumi import of_sandbox
from gpucluster.errors import Exit
from gpucluster.options import STACK
from gpucluster.textio.typed import typed

_Command = TypeVar("_Command", bound=Callable[..., Any])
_ROLE: Final = "--role-arn"


def _options(command: _Command) -> _Command:
    for option in (
        click.option("--use", is_flag=True, help="Make it the current context, even if another one is set."),
        click.option("--context", metavar="NAME", help="Name of the context.  [default: name of the cluster]"),
        click.option(
            "--kubeconfig",
            metavar="FILE",
            type=click.Path(path_type=Path, dir_okay=False),
            help="File to write to.  [default: the kubeconfig of kubectl]",
        ),
        click.option("--stack", "-s", type=STACK, help="Stack of the cluster.  [default: the selected one]"),
    ):
        command = option(command)
    return command


@click.command()
@_options
def connect(stack: str | None, kubeconfig: Path | None, context: str | None, use: bool) -> None:
    """Write a kubeconfig context for a stack's cluster.

    Checks the context, too. Reads the outputs of the stack with `pulumi`. The context holds no credential: the
    cloud's own command returns one at each use. Other contexts stay unchanged.

    Exit code 1: a command, login, role or open range is missing; the output shows which.
    """
    _enter(read_stack(stack), kubeconfig, context, use=use, kubectl=shutil.which("kubectl"))


@click.command("connect")
@_options
def in_sandbox(stack: str | None, kubeconfig: Path | None, context: str | None, use: bool) -> None:
    """Write a kubeconfig context for a live cluster.

    Checks the context, too. Starts the cluster if needed; it runs until `gpucluster sandbox stop`. The context holds
    a token that is valid on this machine only. Its default name ends in -sandbox.
    """
    from gpucluster.sandbox.cluster_of import cluster_of
    from gpucluster.sandbox.live.cluster import open_cluster
    from gpucluster.sandbox.project import current_project
    from gpucluster.sandbox.recovery.compare import stack_of

    project = current_project()
    entry = cluster_of(project, stack, living=True)
    pulumi, words, named = of_sandbox({}), ("stack", "output", "--json"), stack_of(entry.urn)
    outputs = typed(pulumi.answer(*words, stack=named), Pushed, pulumi.source(*words, stack=named))
    with open_cluster(project, stack) as cluster:
        found = Found(
            account=str(project.root),
            cluster=f"{entry.name}-sandbox",
            namespace="training",
            kubeconfig=cluster.server.kubeconfig(),
            pushing=pushing(outputs.registry),
        )
        _enter(found, kubeconfig, context, use=use, kubectl=shutil.which("kubectl") or str(cluster.kubectl))


def _enter(found: Found, kubeconfig: Path | None, context: str | None, *, use: bool, kubectl: str | None) -> None:
    """Writes the context, checks it, and reports both."""
    file, name = kubeconfig or default_file(os.environ), context or found.cluster
    config = _as_the_user(found.kubeconfig, os.environ)
    mark = {"account": found.account, "cluster": found.cluster}
    entry = Entry(name=name, mark=mark, namespace=found.namespace, kubeconfig=config, use=use)
    written = edit(file, partial(with_context, entry=entry))
    current = written["current-context"] == name
    how = "the current one" if current else f"select it with `kubectl config use-context {name}`, or with --use"
    click.echo(f"Wrote context {name} to {file}: {how}.")
    wrong = missing(
        Context(
            file=file,
            name=name,
            namespace=found.namespace,
            server=config["clusters"][0]["cluster"]["server"],
            user=config["users"][0]["user"],
            kubectl=kubectl,
        )
    )
    for line in wrong:
        click.echo(f"missing: {line}")
    if wrong:
        raise SystemExit(Exit.FINDINGS)
    click.echo(f"The cluster answers and accepts your jobs in namespace {found.namespace}.")
    if found.pushing:
        click.echo("\n  ".join(["Images of jobs:", *found.pushing]))
    if found.logs:
        click.echo(f"Logs of a job (replace JOB by its name):\n  {found.logs}")


def _as_the_user(kubeconfig: Mapping[str, Any], environment: Mapping[str, str]) -> Mapping[str, Any]:
    """On AWS, keeps a login by a profile: `kubectl` in another shell is the same user. Without the role that `up`
    assumes, which the output of an earlier release names: with it every user would be an admin.

    Source: aws/aws-cli, awscli/customizations/eks/update_kubeconfig.py.
    """
    [user] = kubeconfig["users"]
    way, profile = user["user"].get("exec"), environment.get("AWS_PROFILE")
    if not way or way["command"] != "aws":
        return kubeconfig
    kept = {**way, "env": [{"name": "AWS_PROFILE", "value": profile}]} if profile else {**way}
    args: list[str] = way.get("args") or []
    if _ROLE in args:
        at = args.index(_ROLE)
        kept["args"] = [*args[:at], *args[at + 2 :]]
    return {**kubeconfig, "users": [{**user, "user": {**user["user"], "exec": kept}}]}
