"""No plan releases machines that are reserved for the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.catalog.resource_types import RESERVED_CAPACITY
from gpucluster.policies.clouds.holdings import ending, losses, shrinking, types
from gpucluster.policies.engine.rule import ChangeRule, Changes, Enforcement, Finding, Severity


def check(changes: Changes) -> Iterator[Finding]:
    for _, finding in losses(changes, RESERVED_CAPACITY):
        yield finding
    yield from shrinking(changes, RESERVED_CAPACITY)
    yield from ending(changes, RESERVED_CAPACITY)


RULE: Final = ChangeRule(
    name="no-loss-of-reserved-capacity",
    title="No plan deletes, replaces, shrinks or ends reserved capacity",
    why="Other customers can take released machines, and a new reservation may fail once the old one is deleted. A "
    "capacity block bought again is paid for twice.",
    fix="Revert the change that forces the replacement, or give the resource an alias if only its name changed. To "
    "release it on purpose: accept it by an exemption with an end date.",
    reads=f"resources that a plan deletes, replaces, shrinks or gives an end, of types {types(RESERVED_CAPACITY)}",
    severity=Severity.CRITICAL,
    enforcement=Enforcement.MANDATORY,
    order=200,
    check=check,
)
