"""Counts and sizes: the numbers of plans that resources contain unchanged.

A program only checks whether they are above one, so plans that differ only in them declare the same resources.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, cast

from gpucluster.components.cluster.cloud import ClusterPlan

Number = int | Decimal

_NUMBERS: Final = (
    ("training.nodes",),
    ("training.spares",),
    ("training.most_broken",),
    ("system.most", "system.nodes"),  # with a maximum, initially one node per zone, whatever the size
    ("storage.usable_gib",),
    ("storage.capacity_tib", "storage.capacity_gib"),
    ("storage.tier",),
    ("telemetry.million_samples",),
)
"""Their paths; of each line, the first that a plan has."""

_SUM: Final = "training.size"
"""Sum of nodes and spares; the plan computes it."""

_UNLIKELY: Final = 700_000_000
"""Larger than any number of a plan."""


def numbers_of(plan: ClusterPlan) -> dict[str, Number]:
    """Path in the plan -> number."""
    found = (
        ((path, number) for path in paths if (number := _at(plan, path)) is not None) for paths in (*_NUMBERS, (_SUM,))
    )
    return dict(first for each in found if (first := next(each, None)))


def any_numbers(plan: ClusterPlan) -> ClusterPlan:
    """The plan with placeholders for its numbers above one, the same for all plans."""
    new: dict[str, dict[str, Number]] = {}
    for at, (path, number) in enumerate(numbers_of(plan).items()):
        if number > 1 and path != _SUM:
            part, _, name = path.partition(".")
            new.setdefault(part, {})[name] = type(number)(_UNLIKELY + 1_000_003 * at)
    parts = {part: replace(getattr(plan, part), **values) for part, values in new.items()}
    return replace(cast("Any", plan), **parts)


def stand_ins(plan: ClusterPlan) -> dict[Number, str]:
    """Placeholders in such a plan -> their paths."""
    return {number: path for path, number in numbers_of(plan).items() if number >= _UNLIKELY}


def _at(plan: ClusterPlan, path: str) -> Number | None:
    part, _, name = path.partition(".")
    return getattr(getattr(plan, part), name, None)
