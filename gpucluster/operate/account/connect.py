"""Reads a stack's outputs about its cluster with the user's own Pulumi."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from gpucluster.core.text.typed import Source, read_json, typed
from gpucluster.errors import Exit, InputError
from gpucluster.operate.account.answers import OneCluster, Outputs, Pushed, Registry, Review
from gpucluster.operate.account.kubeconfig import Entry, default_file, edit, with_context
from gpucluster.operate.account.programs import Program, not_installed, programs
from gpucluster.operate.account.pulumi import sandbox_pulumi, users_pulumi
from gpucluster.options import stack_option

_WORDS: Final = ("stack", "output", "--json")
_SECRET: Final = "[secret]"
"""What `pulumi stack output --json` prints for a secret. Source: pulumi/pulumi, pkg/backend/display, MassageSecrets."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """account, cluster: in the cloud's terms; both together identify a cluster. pushing: the commands that log in to
    its registry and push an image. logs: the command that prints the output of a job's pods. slurm_login: the one that
    opens a shell on Slurm's login node, empty without Slurm.
    """

    account: str
    cluster: str
    namespace: str
    kubeconfig: Mapping[str, Any]
    pushing: tuple[str, ...] = ()
    logs: str = ""
    slurm_login: str = ""


def read_stack(stack: str | None) -> Found:
    """The outputs of a stack, by default of the selected one. Raises InputError if they are not available."""
    pulumi = users_pulumi(
        "read the outputs of a stack", "for a cluster of the sandbox, use `gpucluster sandbox connect`"
    )
    named, chosen = (f"stack {stack}", f" --stack {stack}") if stack else ("the selected stack", "")
    given = typed(pulumi.answer(*_WORDS, stack=stack), dict[str, Any], pulumi.source(*_WORDS, stack=stack))
    needed = [field.alias or name for name, field in Outputs.model_fields.items() if field.is_required()]
    if lacking := sorted(name for name in needed if name not in given):
        fix = "has it been built? `pulumi up` adds the missing outputs of a stack of an earlier release"
        raise InputError(named, [f"has no output {', '.join(lacking)}; {fix}"])
    advice = "no cluster of gpucluster has it so; choose its stack with --stack"
    if secret := sorted(name for name in needed if given[name] == _SECRET):
        shown = "; ".join(f"`pulumi stack output {name} --show-secrets{chosen}` prints it" for name in secret)
        raise InputError(named, [f"output {', '.join(secret)} is secret; {advice}; {shown}"])
    found = typed(given, Outputs, pulumi.source(*_WORDS, stack=stack, fix=advice))
    source = Source(name=f"output kubeconfig of {named}", fix=advice, program=True)
    return Found(
        account=found.account,
        cluster=found.cluster,
        namespace=found.storage.namespace,
        kubeconfig=read_json(found.kubeconfig, OneCluster, source).model_dump(exclude_unset=True),
        pushing=pushing(found.registry),
        logs=found.logs.command if found.logs else "",
        slurm_login=found.slurm_login,
    )


def pushing(registry: Registry | None) -> tuple[str, ...]:
    """The commands that log in to the registry of a stack and push an image."""
    return (registry.login, f"docker push {registry.image}:TAG") if registry else ()


_SECONDS: Final = 15


@dataclass(frozen=True, kw_only=True)
class Context:
    """file: a kubeconfig. namespace: of the cluster's jobs. user: as in the kubeconfig.

    kubectl: the program to use, None if there is none.
    """

    file: Path
    name: str
    namespace: str
    server: str
    user: Mapping[str, Any]
    kubectl: str | None


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What the user of a cluster wants to do. asked: of the API, in the form of a SelfSubjectAccessReview. denied: what
    it means if the role does not allow it, with {name_me}.
    """

    asked: Mapping[str, str]
    denied: str


def missing(context: Context, wish: Wish | None = None) -> list[str]:
    """Obstacles to a wish, by default that of submitting a job, each with its solution; empty if there are none."""
    found = _not_installed(context)
    return found or _refused(context, wish or _submit(context.namespace))


def _submit(namespace: str) -> Wish:
    own = "each team has its own namespace: `kubectl config set-context --current --namespace NAME`"
    return Wish(
        asked={"namespace": namespace, "verb": "create", "group": "trainer.kubeflow.org", "resource": "trainjobs"},
        denied=f"you are logged in, but may not submit jobs to namespace {namespace}; {{name_me}}; {own}",
    )


def _program(context: Context) -> Program | None:
    """What gives the credentials, if it is known."""
    way: Mapping[str, str] = context.user.get("exec") or {}
    return programs().get(way.get("command", ""))


def _not_installed(context: Context) -> list[str]:
    way: Mapping[str, str] = context.user.get("exec") or {}
    return [*([] if context.kubectl else not_installed("kubectl")), *not_installed(way.get("command", ""))]


def _refused(context: Context, wish: Wish) -> list[str]:
    """Asks the cluster whether its user may: one request, which tests login, range and role."""
    assert context.kubectl is not None
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": {**wish.asked}},
    }
    way = ["--kubeconfig", str(context.file), "--context", context.name, f"--request-timeout={_SECONDS}s"]
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    try:
        done = subprocess.run(
            [context.kubectl, *way, "create", "--raw", path, "--filename", "-"],
            input=json.dumps(review),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            # An interactive login would wait for input that never arrives.
            timeout=4 * _SECONDS,
        )
    except subprocess.TimeoutExpired:
        return [_problem(context, "timeout")]
    except OSError as error:
        raise InputError(f"{context.kubectl} cannot be run: {error.strerror}; install kubectl") from None
    if done.returncode:
        return [_problem(context, done.stderr.strip())]
    source = Source(name=f"`kubectl create --raw {path}`", fix="check the `kubectl` on PATH", program=True)
    if read_json(done.stdout, Review, source).status.allowed:
        return []
    return [f"role: {wish.denied.format(name_me=_name_me(context))}"]


def _name_me(context: Context) -> str:
    program = _program(context)
    named = program.named if program else "your user"
    return f"ask an admin to add {named} to access.admins or access.submitters of the spec, and to run `pulumi up`"


_ANSWERS: Final = (
    (
        r"getting credentials|exec plugin",
        "login: {command} returns no token; {login}: {first}",
    ),
    (
        r"Unauthorized|provide credentials|must be logged in|[Ff]orbidden",
        "role: the cluster does not know this identity; log in as another, or {name_me}",
    ),
    (
        r"no such host|server misbehaving|Temporary failure in name resolution",
        "name: cannot resolve {server}; check that the cluster exists and that you reach your DNS server",
    ),
    (
        r"timeout|timed out|deadline exceeded|refused|no route|unreachable|connection reset|EOF",
        "range: {server} does not answer; add your range to access.cidrs and run `pulumi up`, or, if access is "
        "private, connect your VPN, bastion or machine first",
    ),
    (r"", "cluster: {last}"),
)
"""kubectl's message -> the missing prerequisite. Source: kubernetes/client-go, plugin/pkg/client/auth/exec; Go's
package net."""


def _problem(context: Context, message: str) -> str:
    lines = [line for line in message.splitlines() if line.strip()] or ["no reason given"]
    meaning = next(meaning for pattern, meaning in _ANSWERS if re.search(pattern, message))
    program = _program(context)
    return meaning.format(
        command=context.user["exec"]["command"] if program else "the command of the kubeconfig",
        login=program.login if program else "log in",
        server=context.server,
        name_me=_name_me(context),
        first=lines[0].strip(),
        last=lines[-1].strip(),
    )


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
        stack_option("Stack of the cluster.  [default: the selected one]"),
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

    Checks the context, too. Starts the cluster if needed; it runs until `gpucluster sandbox stop --stack NAME`. The
    context holds a token that is valid on this machine only. Its default name ends in -sandbox.
    """
    from gpucluster.sandbox.live.cluster import open_cluster
    from gpucluster.sandbox.project.project import current_project
    from gpucluster.sandbox.state.compare import stack_of
    from gpucluster.sandbox.state.selected_cluster import cluster_of

    project = current_project()
    entry = cluster_of(project, stack, living=True)
    pulumi, words, named = sandbox_pulumi({}), ("stack", "output", "--json"), stack_of(entry.urn)
    outputs = typed(pulumi.answer(*words, stack=named), Pushed, pulumi.source(*words, stack=named))
    with open_cluster(project, stack) as cluster:
        found = Found(
            account=str(project.root),
            cluster=f"{entry.name}-sandbox",
            namespace="training",
            kubeconfig=cluster.server.kubeconfig(),
            pushing=pushing(outputs.registry),
            slurm_login=outputs.slurm_login,
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
    if found.slurm_login:
        click.echo(f"Login node of Slurm:\n  {found.slurm_login}")
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
