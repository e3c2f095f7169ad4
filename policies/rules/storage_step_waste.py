"""The unused part of a capacity step is not larger than the used part."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.program.resources import UNKNOWN
from gpucluster.policies.clouds.file_systems import TYPES, claims, file_systems
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_WITH_HEADROOM: Final = Decimal("1.25")
_MOST: Final = 2
"""Times the need; the requested throughput may require more capacity than the data."""
_WORTH_SAYING: Final = 1024
"""GiB; the smallest file systems of some kinds are this large."""


def check(stack: Stack) -> Iterator[Finding]:
    promised: dict[str, Decimal] = {}
    hidden: set[str] = set()
    for _, on, amount in claims(stack.resources):
        if amount is UNKNOWN:
            hidden.add(on.urn)
        else:
            promised[on.urn] = promised.get(on.urn, Decimal(0)) + amount
    for found in file_systems(stack.resources):
        needed = promised.get(found.resource.urn, Decimal(0)) * _WITH_HEADROOM
        if not needed or found.resource.urn in hidden or found.gib is None:
            continue
        if found.gib is UNKNOWN:
            yield CannotTell(found.resource, "its capacity is not known yet")
        elif found.gib > needed * _MOST and found.gib - needed >= _WORTH_SAYING:
            yield Violation(
                found.resource,
                f"{found.gib:,.0f} GiB where volumes with their headroom need {needed:,.0f}: {found.gib - needed:,.0f} "
                "GiB billed but unused",
            )


RULE: Final = StackRule(
    name="storage-step-waste",
    title="A file system is not much larger than its volumes need",
    why="Capacity is sold in steps that grow with the throughput of the tier, and billed every hour, filled or not.",
    fix="Choose a tier with smaller steps (more MB/s per TiB needs fewer TiB), or size the volumes to the capacity of "
    "the file system.",
    reads=f"{TYPES}; kubernetes:core/v1:PersistentVolume on them",
    spec="storage.shared.usable_tib",
    severity=Severity.LOW,
    order=80,
    check=check,
)
