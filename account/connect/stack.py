"""Reads a stack's outputs about its cluster with the user's own Pulumi."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.account.answers import OneCluster, Outputs, Registry
from gpucluster.account.pulumi import of_user
from gpucluster.errors import InputError
from gpucluster.textio.typed import Source, read_json, typed

_WORDS: Final = ("stack", "output", "--json")
_SECRET: Final = "[secret]"
"""What `pulumi stack output --json` prints for a secret. Source: pulumi/pulumi, pkg/backend/display, MassageSecrets."""


@dataclass(frozen=True, kw_only=True)
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
    named, chosen = (f"stack {stack}", f" --stack {stack}") if stack else ("the selected stack", "")
    given = typed(pulumi.answer(*_WORDS, stack=stack), dict[str, Any], pulumi.source(*_WORDS, stack=stack))
    needed = [field.alias or name for name, field in Outputs.model_fields.items() if field.is_required()]
    if lacking := sorted(name for name in needed if name not in given):
        fix = "has it been built? `pulumi up` adds the missing outputs of a stack of an earlier release"
        raise InputError(named, [f"has no output {', '.join(lacking)}; {fix}"])
    theirs = "no cluster of gpucluster has it so; choose its stack with --stack"
    if secret := sorted(name for name in needed if given[name] == _SECRET):
        shown = "; ".join(f"`pulumi stack output {name} --show-secrets{chosen}` prints it" for name in secret)
        raise InputError(named, [f"output {', '.join(secret)} is secret; {theirs}; {shown}"])
    found = typed(given, Outputs, pulumi.source(*_WORDS, stack=stack, fix=theirs))
    source = Source(name=f"output kubeconfig of {named}", fix=theirs, program=True)
    return Found(
        account=found.account,
        cluster=found.cluster,
        namespace=found.storage.namespace,
        kubeconfig=read_json(found.kubeconfig, OneCluster, source).model_dump(exclude_unset=True),
        pushing=pushing(found.registry),
        logs=found.logs.command if found.logs else "",
    )


def pushing(registry: Registry | None) -> tuple[str, ...]:
    """The commands that log in to the registry of a stack and push an image."""
    return (registry.login, f"docker push {registry.image}:TAG") if registry else ()
