"""What a command needs before it changes a stack: a login to the account, and, for objects in the cluster, the programs
of its kubeconfig, a login, an open range and a role there. Without them `pulumi up` and `destroy` stop half-way.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import yaml

from gpucluster.components.stack.stack_config import read_stack
from gpucluster.core.text.typed import Source, read_json
from gpucluster.errors import InputError
from gpucluster.operate.account.answers import OneCluster
from gpucluster.operate.account.connect import Context, Wish, missing
from gpucluster.operate.account.inventories.ask import cannot_log_in
from gpucluster.operate.account.kubeconfig import Entry, with_context
from gpucluster.operate.account.programs import not_installed
from gpucluster.operate.account.pulumi import Pulumi
from gpucluster.operate.account.stack_status import StackStatus

_OBJECT: Final = "kubernetes:"
_WISH: Final = Wish(
    asked={"verb": "delete", "resource": "namespaces"},
    denied="you are logged in, but may not change the software in the cluster, as only its admins and the identity of "
    "the last `up` may; {name_me}",
)


def check_ready(pulumi: Pulumi, one: StackStatus) -> None:
    """Raises InputError with all that is missing. Nothing is for a stack of the sandbox. Without kubectl, only programs
    are checked; without the cloud's SDK, no login to the account.
    """
    if pulumi.sandbox:
        return
    if lines := [*_account(one.stack), *_cluster(pulumi, one)]:
        raise InputError(f"stack {one.stack}, of which nothing was changed", lines)


def _account(stack: str) -> Sequence[str]:
    """Whether the login to the account is good. A file that can't be read is Pulumi's to report."""
    try:
        config = read_stack(stack.rpartition("/")[2], Path.cwd())
    except InputError:
        return []
    why = cannot_log_in(config)
    return [f"login: {why}"] if why else []


def _cluster(pulumi: Pulumi, one: StackStatus) -> list[str]:
    """A stack without objects of a cluster left needs no way to its API."""
    if not any(resource.type.startswith(_OBJECT) for resource in one.owned):
        return []
    outputs: dict[str, Any] = pulumi.answer("stack", "output", "--json", stack=one.stack)
    text = outputs.get("kubeconfig")
    if not isinstance(text, str) or not text.startswith("{"):
        return []  # a first `up` that failed, or another program's
    source = Source(name=f"output kubeconfig of stack {one.stack}", fix="run `pulumi up`", program=True)
    config = read_json(text, OneCluster, source).model_dump(exclude_unset=True)
    user, server = config["users"][0]["user"], config["clusters"][0]["cluster"]["server"]
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        way: Mapping[str, str] = user.get("exec") or {}
        return not_installed(way.get("command", ""))
    with TemporaryDirectory() as folder:
        file = Path(folder) / "kubeconfig"
        entry = Entry(name=one.stack, mark={}, namespace="default", kubeconfig=config, use=True)
        file.touch(mode=0o600)
        file.write_text(yaml.safe_dump(with_context({}, entry)))
        context = Context(file=file, name=one.stack, namespace="default", server=server, user=user, kubectl=kubectl)
        return missing(context, _WISH)
