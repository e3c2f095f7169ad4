"""GPU machines that no other rule reads are reported, from the inventory of the stack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.policies.answers import answers, summary
from gpucluster.policies.clouds.kubernetes.pool_labels import SINGLE_NODE
from gpucluster.policies.engine.rule import Outcome, ReportRule, Severity, Stack, Violation


def check(outcomes: Sequence[Outcome], stack: Stack) -> Iterator[Violation]:
    for answer in answers(outcomes, stack.resources):
        if answer.unread and not answer.aside:
            place = answer.place
            within = f"`{answer.part}` of " if answer.part else ""
            what = f"{place.label} in {within}a resource of type {place.resource.type}"
            yield Violation(place.resource, f"{what}, which these rules do not read: {', '.join(answer.unread)}")


def machines(outcomes: Sequence[Outcome], stack: Stack) -> Sequence[str]:
    return summary(answers(outcomes, stack.resources))


RULE: Final = ReportRule(
    name="gpu-machines-unread",
    title="GPU machines that no other rule reads",
    why="GPU machines in another resource type pass every rule about placement, fabric and purchase, because no rule "
    "reads them.",
    fix="Declare them as a resource type that these rules read (gpucluster guardrails explain NAME), or review them "
    f'by hand. Give nodes of Karpenter and ComputeClass for single-node jobs the label {SINGLE_NODE}: "true".',
    reads="every text of every resource, and of components of another language, that names a GPU machine or model, and "
    "the results of the other rules",
    severity=Severity.MEDIUM,
    order=30,
    check=check,
    machines=machines,
)
