"""A trial states its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import UNKNOWN
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_ENDS: Final = "durationDays"
_TEMPORARY: Final = ("trial", "test", "experiment", "sandbox", "demo", "poc")


def check(stack: Stack) -> Iterator[Finding]:
    for each in read_registered_facts(stack.resources):
        labels = each.facts.required_labels
        if labels is None or _ENDS in each.names:
            continue
        environment = UNKNOWN if labels is UNKNOWN else labels.get("environment")
        if environment is UNKNOWN:
            yield CannotTell(each.component, "whether its environment is a trial is not known yet")
        elif str(environment).lower() in _TEMPORARY:
            yield Violation(each.component, f"a temporary environment without {_ENDS}")


RULE: Final = StackRule(
    name="trial-has-an-end",
    title="A trial cluster has a duration",
    why="Trials are forgotten: a small GPU cluster left running for a month costs as much as an engineer in a year.",
    fix=f"Set its number of days as fact {_ENDS} (duration in the cluster spec); `gpucluster reap` then destroys it.",
    reads=f"the facts requiredLabels (environment {', '.join(_TEMPORARY)}) and {_ENDS}",
    spec="duration",
    severity=Severity.MEDIUM,
    order=260,
    check=check,
)
