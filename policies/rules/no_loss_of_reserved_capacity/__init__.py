"""No plan gives up machines that are held for the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.catalog.holdings import RESERVED_CAPACITY
from gpucluster.policies.changes import Changes
from gpucluster.policies.clouds.holdings import losses, types
from gpucluster.policies.rule import ChangeRule, Enforcement, Finding, Severity


def check(changes: Changes) -> Iterator[Finding]:
    for _, finding in losses(changes, RESERVED_CAPACITY):
        yield finding


RULE: Final = ChangeRule(
    name="no-loss-of-reserved-capacity",
    title="No plan deletes or replaces reserved capacity",
    why="Released machines go to other customers, and a new reservation may fail once the old one is deleted. A "
    "capacity block bought again is paid for twice.",
    fix="Take the change back that forces the replacement, or give the resource an alias where only its name changed. "
    "To give it up on purpose: accept it by an exemption with an end date.",
    reads=f"what a plan deletes and replaces of {types(RESERVED_CAPACITY)}",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=200,
    check=check,
)
