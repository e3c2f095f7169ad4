"""Checks whether a context reaches its cluster, and reports missing prerequisites."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from gpucluster.account.answers import Review
from gpucluster.errors import InputError
from gpucluster.textio.typed import Source, read_json

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


def missing(context: Context) -> list[str]:
    """Obstacles to submitting a job, each with its solution; empty if there are none."""
    found = _not_installed(context)
    return found or _refused(context)


@cache
def _commands() -> dict[str, dict[str, str]]:
    """The commands that give credentials."""
    with Path(__file__).with_name("commands.csv").open(newline="") as file:
        return {row["command"]: row for row in csv.DictReader(file)}


def _command(context: Context) -> Mapping[str, str]:
    way: Mapping[str, str] = context.user.get("exec") or {}
    return _commands().get(way.get("command", ""), {})


def _not_installed(context: Context) -> list[str]:
    said = [] if context.kubectl else ["command: kubectl is not on PATH; install it (kubernetes.io/docs/tasks/tools)"]
    command = _command(context)
    if command and shutil.which(command["command"]) is None:
        said.append(f"command: {command['command']} is not on PATH; {command['install']}")
    if command.get("needs") and shutil.which(command["needs"]) is None:
        said.append(
            f"command: {command['needs']} is not on PATH, but {command['command']} needs it to log in; install it"
        )
    return said


def _refused(context: Context) -> list[str]:
    """Asks the cluster whether its user may submit a job: one request, which tests login, range and role."""
    assert context.kubectl is not None
    asked = {"namespace": context.namespace, "verb": "create", "group": "trainer.kubeflow.org", "resource": "trainjobs"}
    review = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": asked},
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
        return [_told(context, "timeout")]
    except OSError as error:
        raise InputError(f"{context.kubectl} cannot be run: {error.strerror}; install kubectl") from None
    if done.returncode:
        return [_told(context, done.stderr.strip())]
    source = Source(name=f"`kubectl create --raw {path}`", fix="check the `kubectl` on PATH", program=True)
    if read_json(done.stdout, Review, source).status.allowed:
        return []
    own = "each team has its own namespace: `kubectl config set-context --current --namespace NAME`"
    return [
        f"role: you are logged in, but may not submit jobs to namespace {context.namespace}; {_name_me(context)}; {own}"
    ]


def _name_me(context: Context) -> str:
    named = _command(context).get("named", "your user")
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


def _told(context: Context, said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()] or ["no reason given"]
    meaning = next(meaning for pattern, meaning in _ANSWERS if re.search(pattern, said))
    known = {"command": "the command of the kubeconfig", "login": "log in", **_command(context)}
    return meaning.format(
        **known, server=context.server, name_me=_name_me(context), first=lines[0].strip(), last=lines[-1].strip()
    )
