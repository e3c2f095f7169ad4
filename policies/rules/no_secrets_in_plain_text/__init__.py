"""No secret is in a place that everybody can read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.clouds.kubernetes.rendered import unrendered
from gpucluster.policies.clouds.read_by_all import READS, places_of_secrets
from gpucluster.policies.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation
from gpucluster.policies.secrets import secrets_in
from gpucluster.program.resources import Resource

_OUTPUTS: Final = "pulumi.export and register_outputs"


def check(stack: Stack) -> Iterator[Finding]:
    yield from unrendered(stack.resources)
    for resource in stack.resources:
        if not resource.custom:
            yield from _exported(resource, stack)
        elif found := list(places_of_secrets(resource)):
            yield Violation(resource, "; ".join(dict.fromkeys(f"{where} holds {kind}" for where, kind in found)))


def _exported(component: Resource, stack: Stack) -> Iterator[Finding]:
    """Outputs of the stack and of components; a policy pack sees a secret as plain text too."""
    found = [(name, kind) for name, value in component.outputs.items() for kind in secrets_in(value)]
    named = "; ".join(dict.fromkeys(f"output `{name}` holds {kind}" for name, kind in found))
    if found and stack.secrets_marked:
        yield Violation(component, f"{named} in plain text", fix="Export it as pulumi.Output.secret(...).")
    elif found:
        yield CannotTell(component, f"{named}; a policy cannot see whether it is marked as a secret")


RULE: Final = StackRule(
    name="no-secrets-in-plain-text",
    title="No key or token is stored or shown in plain text",
    why="The state file, the plan in a pull request and every pod of the namespace show it. Each copy must be found "
    "and the key rotated, while it starts machines on your bill.",
    fix="Keep it in a Secret or the cloud's secret store, or use a workload identity instead; rotate the key, since "
    "it has been exposed.",
    reads=f"outputs by {_OUTPUTS} (secrets are recognizable in plan and state files only); {READS}",
    severity=Severity.HIGH,
    order=160,
    check=check,
)
