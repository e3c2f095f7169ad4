"""No secret is in a place that others can read.

Read by others are start scripts and environments, labels, and Kubernetes objects except Secrets.
`gpucluster/core/catalog/read_by_all.csv` lists the rest: type, its inputs, and their location in the provider.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.core.catalog.tables import rows
from gpucluster.core.program.resources import Resource
from gpucluster.core.program.values import at, text
from gpucluster.policies.clouds.kubernetes.objects import unrendered
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation
from gpucluster.policies.secrets import places_with_secrets, secrets_in

_OUTPUTS: Final = "pulumi.export and register_outputs"


def check(stack: Stack) -> Iterator[Finding]:
    yield from unrendered(stack.resources)
    for resource in stack.resources:
        if not resource.custom:
            yield from _exported(resource, stack)
        elif found := list(_places_of_secrets(resource)):
            yield Violation(resource, "; ".join(dict.fromkeys(f"{where} holds {kind}" for where, kind in found)))


def _exported(component: Resource, stack: Stack) -> Iterator[Finding]:
    """Outputs of the stack and of components; a policy pack sees a secret as plain text too."""
    found = [(name, kind) for name, value in component.outputs.items() for kind in secrets_in(value)]
    named = "; ".join(dict.fromkeys(f"output `{name}` holds {kind}" for name, kind in found))
    if found and stack.secrets_marked:
        yield Violation(component, f"{named} in plain text", fix="Export it as pulumi.Output.secret(...).")
    elif found:
        yield CannotTell(component, f"{named}; a policy cannot see whether it is marked as a secret")


_LABELS: Final = ("description", "labels", "resourceLabels", "tags", "userLabels")
_KUBERNETES: Final = "kubernetes:"
_SECRETS: Final = ("kubernetes:core/v1:Secret", "kubernetes:core/v1:SecretPatch")
_PARAMETER: Final = "aws:ssm/parameter:Parameter"
_ENCRYPTED: Final = "SecureString"
_SECRET_NAME: Final = re.compile(
    r"(?:^|[/_.-])(?:passw(?:or)?d|secret|token|(?:api|private|secret[_-]?access)[_-]?key)s?$", re.IGNORECASE
)
_ELSEWHERE: Final = r"(?i)arn:|[a-z]+://|[$<%*]|changeme$"


@functools.cache
def _inputs() -> Mapping[str, tuple[tuple[str, ...], ...]]:
    """Type token -> paths of its inputs that others can read."""
    return {row["type"]: tuple(tuple(way.split(".")) for way in row["inputs"].split()) for row in rows("read_by_all")}


_READS: Final = (
    f"{', '.join(_inputs())}, every other kubernetes: object except Secrets; {', '.join(_LABELS)} of every resource"
)


def _places_of_secrets(resource: Resource) -> Iterator[tuple[str, str]]:
    """(place, kind) in the inputs of a resource that others can read, marked as a secret or not."""
    for way in _ways(resource):
        for place, kind in places_with_secrets(at(resource.inputs, *way), ".".join(way)):
            yield f"`{place}`", kind
    if resource.type == _PARAMETER and text(resource.inputs, "type") != _ENCRYPTED:
        yield from _under_its_name(resource.inputs)


def _under_its_name(inputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """A parameter whose name says that it is a secret, with any value except a reference to a secret."""
    name = text(inputs, "name")
    if isinstance(name, str) and _SECRET_NAME.search(name):
        for key in ("value", "insecureValue"):
            value = text(inputs, key)
            if isinstance(value, str) and not re.match(_ELSEWHERE, value):
                yield f"`{key}`", "a value whose name suggests a secret"


def _ways(resource: Resource) -> Iterator[tuple[str, ...]]:
    if resource.type in _SECRETS:
        return
    if resource.type.startswith(_KUBERNETES):
        yield from ((name,) for name in resource.inputs)
        return
    if resource.type != _PARAMETER or text(resource.inputs, "type") != _ENCRYPTED:
        yield from _inputs().get(resource.type, ())
    yield from ((name,) for name in _LABELS)


RULE: Final = StackRule(
    name="no-secrets-in-plain-text",
    title="No key or token is stored or shown in plain text",
    why="The state file, the plan in a pull request and every pod of the namespace show it. Each copy must be found "
    "and the key rotated, while it starts machines on your bill.",
    fix="Keep it in a Secret or the cloud's secret store, or use a workload identity instead; rotate the key, since "
    "it has been exposed.",
    reads=f"outputs by {_OUTPUTS} (secrets are recognizable in plan and state files only); {_READS}",
    severity=Severity.HIGH,
    order=160,
    check=check,
)
