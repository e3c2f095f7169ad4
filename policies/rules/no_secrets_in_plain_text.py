"""What is a secret is nowhere that everybody reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation
from gpucluster.policies.secrets import READ_BY_ALL, places_of_secrets, secrets_in
from gpucluster.program.resources import Resource

__all__ = ["RULE"]

_OUTPUTS: Final = "pulumi.export and register_outputs"


def check(stack: Stack) -> Iterator[Finding]:
    for resource in stack.resources:
        if not resource.custom:
            yield from _exported(resource, stack)
        elif found := list(places_of_secrets(resource)):
            yield Violation(resource, "; ".join(f"{where} holds {kind}" for where, kind in found))


def _exported(component: Resource, stack: Stack) -> Iterator[Finding]:
    """Outputs of the stack and of components; a policy pack sees a secret as plain text too."""
    found = [(name, kind) for name, value in component.outputs.items() for kind in secrets_in(value)]
    named = "; ".join(dict.fromkeys(f"output `{name}` holds {kind}" for name, kind in found))
    if found and stack.secrets_marked:
        yield Violation(component, f"{named} in plain text", fix="Export it as pulumi.Output.secret(...).")
    elif found:
        yield CannotTell(component, f"{named}; whether it is marked as a secret a policy does not see")


RULE: Final = StackRule(
    name="no-secrets-in-plain-text",
    title="No key or token stands where it is stored or shown in plain text",
    why="The state file, the plan in a pull request and every pod of the namespace show it, for good: each copy has "
    "to be found and the key made anew, while it starts machines on your bill.",
    fix="Keep it in a Secret or the cloud's secret store and name it there, or let the workload's own identity do; "
    "make the key anew, since it was written down.",
    reads=f"outputs by {_OUTPUTS} (secrets are told apart in plan and state files only); {READ_BY_ALL}",
    severity=Severity.HIGH,
    check=check,
)
