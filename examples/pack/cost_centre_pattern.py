"""Every resource with labels has a cost centre of the form that finance books."""

import re
from collections.abc import Iterator

from gpucluster.rules import UNKNOWN, CannotTell, Enforcement, Finding, Severity, Stack, StackRule, Violation, labels_of

PATTERN = "CC-[0-9]{4}"


def check(stack: Stack) -> Iterator[Finding]:
    key, pattern = stack.config.get("key", "cost-centre"), stack.config.get("pattern", PATTERN)
    for resource in stack.resources:
        for labels in labels_of(resource, stack):
            value = UNKNOWN if labels.labels is UNKNOWN else labels.labels.get(key, "")
            if value is UNKNOWN:
                yield CannotTell(resource, f"{labels.where}: `{key}` is not known yet")
            elif not re.fullmatch(pattern, str(value)):  # the value may be a secret
                yield Violation(resource, f"{labels.where}: `{key}` is not of the form {pattern}")


RULE = StackRule(
    name="cost-centre-pattern",
    title="Cost centres have the form that finance books",
    why="Costs of another cost centre are not charged to any project.",
    fix="Write the number of your cost centre, such as CC-1234.",
    reads="tags and labels of every resource that supports them",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    check=check,
    config={
        "key": {"type": "string", "description": "Label of the cost centre; cost-centre by default"},
        "pattern": {"type": "string", "description": "Regular expression of its whole value; CC-[0-9]{4} by default"},
    },
)
