"""A file system is larger than the space that pods may fill."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.program.resources import UNKNOWN
from gpucluster.policies.clouds.file_systems import TYPES, claims, file_systems
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_OVER: Final = Decimal("1.25")
"""25 % on top of the promised space."""


def check(stack: Stack) -> Iterator[Finding]:
    sizes = {found.resource.urn: found.gib for found in file_systems(stack.resources)}
    promised: dict[str, Decimal] = {}
    for volume, on, amount in claims(stack.resources):
        if amount is UNKNOWN:
            yield CannotTell(volume, "the capacity of its volumes is not known yet")
        else:
            # Volumes on one file system share its space, one for each namespace.
            promised[on.urn] = max(promised.get(on.urn, Decimal(0)), amount)
    for urn, amount in promised.items():
        size, on = sizes[urn], stack.resources.get(urn)
        if size is UNKNOWN:
            yield CannotTell(on, "its capacity is not known yet")
        elif size is not None and size < amount * _OVER:
            yield Violation(
                on,
                f"{size:,.0f} GiB for volumes of {amount:,.0f} GiB, which need {amount * _OVER:,.0f} GiB with 25 % "
                "headroom",
            )


RULE: Final = StackRule(
    name="storage-headroom",
    title="A file system is 25 % larger than its volumes",
    why="Lustre slows down well before it is full, and a full file system stops every job at its next checkpoint: the "
    "work since the last one is paid for twice.",
    fix="Increase the file system, or reduce spec.capacity of the PersistentVolume.",
    reads=f"{TYPES}; kubernetes:core/v1:PersistentVolume on them",
    spec="storage.shared.usable_tib",
    severity=Severity.MEDIUM,
    order=60,
    check=check,
)
