"""A change in words and rows: what the table, Markdown and the comment on a pull request have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpucluster.cost.changes import Change, Diff, LineChange, PartChange
from gpucluster.cost.changes.diff import change_of
from gpucluster.cost.model import NotPriced
from gpucluster.cost.money import at_least, change, money, percent
from gpucluster.program.resources import key_of, urn_name

__all__ = [
    "MARKS",
    "bounded",
    "comparable",
    "line_cells",
    "missing",
    "part_cells",
    "sentence",
    "share",
    "total_rows",
    "unpriced_lists",
]

MARKS: Final = {"added": "+", "removed": "-", "changed": "~", "same": "=", "price lost": "?", "price gained": "?"}
_NAMED: Final = 3
"""Resources without a price that a sentence names."""

Quote = Callable[[str], str]
"""Shows a name of the user's."""


def sentence(found: Diff, quote: Quote = str) -> str:
    """The change in one sentence. quote: shows a name as the reader is to see it."""
    stack = quote(found.stack) if found.stack else "the stack"
    before = at_least(found.before.expected, complete=found.old.estimate.complete)
    after = at_least(found.after.expected, complete=found.new.estimate.complete)
    lost = f"; storage or reserved capacity that does not stay: {len(found.losses)}" if found.losses else ""
    if not found.moves:
        return f"The cost of {stack} does not change: {after} a month{lost}."
    told, rest = found.change, f"{missing([found], quote)}{lost}"
    if told.direction == "cannot tell":
        return (
            f"Cannot tell whether {stack} costs more or less: {before} a month known before, {after} known after; "
            f"{comparable(told)}{rest}."
        )
    if told.direction == "the same":
        return f"The expected cost of {stack} stays the same, {after} a month, though lines change{rest}."
    verb = "raises" if told.direction == "more" else "lowers"
    amount = f"{bounded(told)} a month{share(told, found.before.expected, complete=found.complete)}"
    return f"This {verb} the cost of {stack} by {amount}, from {before} to {after}{_committed(found)}{rest}."


def bounded(told: Change) -> str:
    """How much more or less: `$1.00`, or `at least $1.00`."""
    return f"{'at least ' if told.exact is None else ''}{money(abs(told.known))}"


def share(told: Change, before: Decimal, *, complete: bool) -> str:
    """The change in percent of what it was before, where both are known throughout."""
    return f" ({percent(abs(told.known) / before)})" if complete and before and told.exact is not None else ""


def comparable(told: Change) -> str:
    """What changes apart from prices that are lost or gained."""
    return f"priced on both sides: {change(told.comparable) if told.comparable else 'no change'}"


def missing(found: Sequence[Diff], quote: Quote) -> str:
    """What has no price on one side, or on both and is not the same; what costs most on the other side first."""
    amounts = _amounts(found)
    lists = (
        ("not priced now", [item for each in found for item in each.newly_unpriced]),
        ("not priced before", [item for each in found for item in each.no_longer_unpriced]),
        ("changed and not priced", [item for each in found for item in each.changed_unpriced]),
    )
    return "".join(
        f"; {words}: {_names(sorted(items, key=lambda item: -amounts.get(key_of(item.urn), Decimal(0))), quote)}"
        for words, items in lists
        if items
    )


def _amounts(found: Sequence[Diff]) -> dict[str, Decimal]:
    """USD a month of each resource that loses or gains a price."""
    amounts: dict[str, Decimal] = {}
    for line in (line for each in found for part in each.parts for line in part.lines if line.change is None):
        key = key_of(line.line.urn)
        amounts[key] = amounts.get(key, Decimal(0)) + abs(line.known)
    return amounts


def unpriced_lists(found: Diff) -> Iterator[tuple[str, Sequence[NotPriced]]]:
    """(heading, what is without a price) of what differs; each list has something."""
    for heading, items in (
        ("Newly without a price, not in the total", found.newly_unpriced),
        ("No longer without a price", found.no_longer_unpriced),
        ("Without a price before and after, and changed", found.changed_unpriced),
    ):
        if items:
            yield heading, items


def _names(items: Sequence[NotPriced], quote: Quote) -> str:
    names = [quote(name) for name in dict.fromkeys(urn_name(item.urn) for item in items)]
    more = len(names) - _NAMED
    return f"{', '.join(names[:_NAMED])}{f' and {more:,} more' if more > 0 else ''}"


def _committed(found: Diff) -> str:
    """How much of the change is capacity bought elsewhere, which ends there and not by this change."""
    moved = found.new.estimate.committed_monthly - found.old.estimate.committed_monthly
    billed_on = ", and billed on there" if moved < 0 else ""
    return f"; of it {change(moved)} committed elsewhere{billed_on}" if moved else ""


def part_cells(part: PartChange) -> tuple[str, str, str]:
    """Before, after, change."""
    before, after = part.unpriced
    return (
        at_least(part.before.expected, complete=not before),
        at_least(part.after.expected, complete=not after),
        part.change.shown,
    )


def line_cells(line: LineChange) -> tuple[str, str, str]:
    """Before, after, change; empty where the line is not there."""
    before = money(line.monthly_before.expected) if line.before else ""
    after = money(line.monthly_after.expected) if line.after else ""
    if line.change is not None:
        return before, after, change(line.change)
    return ("no price", after, line.kind) if line.kind == "price gained" else (before, "no price", line.kind)


def total_rows(found: Diff) -> Iterator[tuple[str, str, str, str]]:
    """(name, before, after, change) of the totals; floor and ceiling where anything is autoscaled."""
    old, new = found.old.estimate, found.new.estimate

    def row(name: str, before: Decimal | str, after: Decimal | str) -> tuple[str, str, str, str]:
        cells = (_amount(before, complete=old.complete), _amount(after, complete=new.complete))
        return name, *cells, _moved(found.change, change_of(before, after))

    yield row("Total per month", found.before.expected, found.after.expected)
    if found.before.varies or found.after.varies:
        yield row("floor", found.before.floor, found.after.floor)
        yield row("ceiling", found.before.ceiling, found.after.ceiling)
    if old.committed_monthly or new.committed_monthly:
        before, after = old.committed_monthly, new.committed_monthly
        moved = _moved(found.change, after - before)
        yield "of it committed elsewhere", money(before), money(after), moved
    yield row("Total per hour", old.hourly.expected, new.hourly.expected)
    if old.per_training_gpu_hour is not None and new.per_training_gpu_hour is not None:
        before = "unknown" if old.training_unknown else old.per_training_gpu_hour
        after = "unknown" if new.training_unknown else new.per_training_gpu_hour
        yield row("Per training GPU-hour", before, after)


def _amount(value: Decimal | str, *, complete: bool) -> str:
    return value if isinstance(value, str) else at_least(value, complete=complete)


def _moved(told: Change, difference: Decimal | None) -> str:
    """The difference of two amounts that are as open as the totals are."""
    if difference is None:
        return change(None)
    return Change(difference, difference, told.open_before, told.open_after).shown
