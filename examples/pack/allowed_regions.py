"""Resources are in the regions that the company allows."""

from collections.abc import Iterator

from gpucluster.rules import UNKNOWN, CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation


def check(stack: Stack) -> Iterator[Finding]:
    allowed = stack.config.get("regions", ())
    for resource in stack.resources:
        region = stack.resources.region(resource) if resource.custom else None
        if region is UNKNOWN:
            yield CannotTell(resource, "its region is not known yet")
        elif region and allowed and region not in allowed:
            yield Violation(resource, f"in {region}, allowed are {', '.join(allowed)}")


RULE = StackRule(
    name="allowed-regions",
    title="Resources are in allowed regions",
    why="Data may leave these regions only with a contract.",
    fix="Move the resource to an allowed region.",
    reads="the region of every resource: its own, else that of its provider",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    check=check,
    config={"regions": {"type": "array", "description": "Allowed regions", "items": {"type": "string"}}},
)
