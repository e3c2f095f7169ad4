"""Reads a stack's outputs about its cluster with the user's own Pulumi."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from gpucluster.account.pulumi import of_user
from gpucluster.errors import InputError
from gpucluster.record import record


@record(kw_only=True)
class Found:
    """account, cluster: in the cloud's terms; both together identify a cluster. pushing: the commands that log in to
    its registry and push an image. logs: the command that prints the output of a job's pods.
    """

    account: str
    cluster: str
    namespace: str
    kubeconfig: Mapping[str, Any]
    pushing: tuple[str, ...] = ()
    logs: str = ""


def read_stack(stack: str | None) -> Found:
    """The outputs of a stack, by default of the selected one. Raises InputError if they are not available."""
    pulumi = of_user("read the outputs of a stack", "for a cluster of the sandbox, use `gpucluster sandbox connect`")
    outputs = cast(Mapping[str, Any], json.loads(pulumi.read("stack", "output", "--json", stack=stack)))
    lacking = [name for name in ("account", "clusterName", "kubeconfig", "sharedStorage") if name not in outputs]
    if lacking:
        named = f"stack {stack}" if stack else "the selected stack"
        fix = "has it been built? `pulumi up` adds the missing outputs of a stack of an earlier release"
        raise InputError(named, [f"has no output {', '.join(lacking)}; {fix}"])
    return Found(
        account=str(outputs["account"]),
        cluster=str(outputs["clusterName"]),
        namespace=str(outputs["sharedStorage"]["namespace"]),
        kubeconfig=json.loads(outputs["kubeconfig"]),
        pushing=pushing(outputs),
        logs=str(outputs.get("logs", {}).get("command", "")),
    )


def pushing(outputs: Mapping[str, Any]) -> tuple[str, ...]:
    """The commands that log in to the registry of a stack and push an image."""
    registry = outputs.get("registry")
    return (registry["login"], f"docker push {registry['image']}:TAG") if registry else ()
