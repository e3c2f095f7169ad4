"""Machines are of the types that the company buys."""

from collections.abc import Iterator

from gpucluster.rules import (
    UNKNOWN,
    CannotTell,
    Enforcement,
    Finding,
    NotChecked,
    Severity,
    Stack,
    StackRule,
    Violation,
    machines_of,
)


def check(stack: Stack) -> Iterator[Finding]:
    allowed = stack.config.get("machines")
    if not allowed:
        yield NotChecked("allowed machines")
        return
    for machines in machines_of(stack):
        if machines.machine is UNKNOWN:
            yield CannotTell(machines.resource, "its machine type is not known yet")
        elif machines.machine is not None and machines.machine not in allowed:
            yield Violation(machines.resource, f"{machines.label}, allowed are {', '.join(allowed)}")


RULE = StackRule(
    name="allowed-machines",
    title="Machines are of allowed types",
    why="Prices are agreed for these types alone.",
    fix="Use an allowed type, or ask the platform team.",
    reads="everything that starts machines",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    check=check,
    config={"machines": {"type": "array", "description": "Allowed machine types", "items": {"type": "string"}}},
)
