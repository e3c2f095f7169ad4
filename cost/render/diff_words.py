"""A change in words and rows: what the table and Markdown have in common."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from cost.changes import Diff, PartChange
from cost.changes.diff import change_of
from cost.money import at_least, change, money, percent

__all__ = ["MARKS", "part_cells", "sentence", "total_rows"]

MARKS: Final = {"added": "+", "removed": "-", "changed": "~", "same": "="}


def sentence(found: Diff, stack: str) -> str:
    """The change in one sentence. stack: the stack's name as the reader is to see it."""
    old, new = found.old.estimate, found.new.estimate
    before = at_least(found.before.expected, complete=old.complete)
    after = at_least(found.after.expected, complete=new.complete)
    lost = f"; storage or reserved capacity that does not stay: {len(found.losses)}" if found.losses else ""
    if not found.changed and not found.newly_unpriced and not found.no_longer_unpriced:
        return f"The cost of {stack} does not change: {after} a month{lost}."
    priced = "" if found.complete else " for what has a price"
    if not found.change:
        return f"The expected cost of {stack} stays the same{priced}, {after} a month, though lines change{lost}."
    verb = "raises" if found.change > 0 else "lowers"
    share = f" ({percent(abs(found.change) / found.before.expected)})" if found.before.expected else ""
    amount = f"{money(abs(found.change))} a month{share}{priced}"
    return f"This {verb} the cost of {stack} by {amount}, from {before} to {after}{lost}."


def part_cells(part: PartChange) -> tuple[str, str, str]:
    """Before, after, change."""
    before, after = part.unpriced
    return (
        at_least(part.before.expected, complete=not before),
        at_least(part.after.expected, complete=not after),
        change(part.change),
    )


def total_rows(found: Diff) -> Iterator[tuple[str, str, str, str]]:
    """(name, before, after, change) of the totals; floor and ceiling where anything is autoscaled."""
    old, new = found.old.estimate, found.new.estimate

    def row(name: str, before: Decimal | str, after: Decimal | str) -> tuple[str, str, str, str]:
        cells = (_amount(before, complete=old.complete), _amount(after, complete=new.complete))
        return name, *cells, change(_difference(before, after))

    yield row("Total per month", found.before.expected, found.after.expected)
    if found.before.varies or found.after.varies:
        yield row("floor", found.before.floor, found.after.floor)
        yield row("ceiling", found.before.ceiling, found.after.ceiling)
    yield row("Total per hour", old.hourly.expected, new.hourly.expected)
    if old.per_training_gpu_hour is not None and new.per_training_gpu_hour is not None:
        before = "unknown" if old.training_unknown else old.per_training_gpu_hour
        after = "unknown" if new.training_unknown else new.per_training_gpu_hour
        yield row("Per training GPU-hour", before, after)
    if old.committed_monthly or new.committed_monthly:
        yield (
            "Committed elsewhere, not in any total",
            money(old.committed_monthly),
            money(new.committed_monthly),
            change(new.committed_monthly - old.committed_monthly),
        )


def _amount(value: Decimal | str, *, complete: bool) -> str:
    return value if isinstance(value, str) else at_least(value, complete=complete)


def _difference(before: Decimal | str, after: Decimal | str) -> Decimal | None:
    return None if isinstance(before, str) or isinstance(after, str) else change_of(before, after)
