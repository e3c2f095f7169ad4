"""GPU machines that no other rule reads are reported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.policies.clouds.pools import cloud_pools
from gpucluster.policies.clouds.unread import unread
from gpucluster.policies.rule import Outcome, ReportRule, Severity, Stack, Violation


def check(outcomes: Sequence[Outcome], stack: Stack) -> Iterator[Violation]:
    rules_run = {outcome.rule.name: outcome.rule for outcome in outcomes}  # resource rules run repeatedly
    for found in unread(stack.resources):
        about = [rule for rule in rules_run.values() if _about(rule.reads, found.cloud)]
        if rules := [rule.name for rule in about if found.part or found.resource.type not in rule.reads]:
            within = f"`{found.part}` of " if found.part else ""
            what = f"{', '.join(found.machines)} in {within}a resource of type {found.resource.type}"
            yield Violation(found.resource, f"{what}, which these rules do not read: {', '.join(rules)}")


def _about(reads: str, cloud: str) -> bool:
    """Whether a rule reads any type that starts machines on a cloud."""
    return any(type_ in reads for type_ in cloud_pools()[cloud].READS.split(", "))


RULE: Final = ReportRule(
    name="gpu-machines-unread",
    title="GPU machines that no other rule reads",
    why="GPU machines in another resource type pass every rule about placement, fabric and purchase, because no rule "
    "reads them.",
    fix="Declare them as a resource type that these rules read (gpucluster guardrails explain NAME), or review them "
    "by hand.",
    reads="every resource, and component of another language, whose inputs name a machine type with GPUs, and the "
    "results of the other rules",
    severity=Severity.MEDIUM,
    order=30,
    check=check,
)
