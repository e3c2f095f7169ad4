"""A change in sentences and cells, also for the comment on a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Final

from gpucluster.core.documents.document import quoted
from gpucluster.core.program.resources import key_of, urn_name
from gpucluster.cost.diff import Change, Diff, LineChange, PartChange
from gpucluster.cost.diff.diff import change_of
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.pricing.bounds import CLOSED, Gap
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, Amounts, NotPriced, Unbounded
from gpucluster.cost.pricing.money import change, money, percent, ranged

_NAMED: Final = 3
"""Number of unpriced resources that a sentence names."""


def answer(found: Diff) -> str:
    """The change in one sentence."""
    stack = found.stack or "the stack"
    before = ranged(found.before.expected, found.old.estimate.gaps.expected)
    after = ranged(found.after.expected, found.new.estimate.gaps.expected)
    lost = f"; storage or reserved capacity deleted or replaced: {len(found.losses)}" if found.losses else ""
    if not found.moves:
        return f"The cost of {stack} does not change: {after} a month{lost}."
    delta, rest = found.change, f"{missing([found])}{lost}"
    if delta.direction == "cannot tell":
        return (
            f"Cannot tell whether {stack} costs more or less: {bounded(delta)}{before} a month before, {after} after; "
            f"{comparable(delta)}{rest}."
        )
    if delta.direction == "the same":
        return f"The expected cost of {stack} stays the same, {after} a month, though lines change{rest}."
    verb = "raises" if delta.direction == "more" else "lowers"
    amount = f"{how_much(delta)} a month{share(delta, found.before.expected, complete=found.complete)}"
    return f"This {verb} the cost of {stack} by {amount}{sides(before, after)}{_committed(found)}{rest}."


def how_much(delta: Change) -> str:
    """The amount of an increase or decrease: `$1.00`, `$1.00 to $2.00`, or `at least $1.00`."""
    ends = sorted(abs(end) for end in (delta.at_least, delta.at_most) if end is not None)
    if len(ends) < 2:  # open on one side: only the nearer end is known
        return f"at least {money(ends[0])}"
    return money(ends[0]) if ends[0] == ends[1] else f"{money(ends[0])} to {money(ends[1])}"


def sides(before: str, after: str) -> str:
    """`, from $1.00 to $2.00`; a change between two amounts has other words."""
    if " to " in f"{before}{after}":
        return f": {before} before, {after} after"
    return f", from {before} to {after}"


def bounded(delta: Change) -> str:
    """`between $1.00 less and $2.00 more; ` for an undecided change with both bounds, else empty."""
    if delta.at_least is None or delta.at_most is None:
        return ""
    return f"between {money(-delta.at_least)} less and {money(delta.at_most)} more; "


def share(delta: Change, before: Decimal, *, complete: bool) -> str:
    """The change in percent of the amount before, if both are fully known."""
    return f" ({percent(abs(delta.known) / before)})" if complete and before and delta.exact is not None else ""


def comparable(delta: Change) -> str:
    """The change without prices that are lost or gained."""
    return f"priced on both sides: {change(delta.comparable) if delta.comparable else 'no change'}"


def missing(found: Sequence[Diff]) -> str:
    """Items without a price on one side, or different ones on both; the most expensive on the other side first."""
    amounts = _amounts(found)
    lists = (
        ("not priced now", [item for each in found for item in each.newly_unpriced]),
        ("not priced before", [item for each in found for item in each.no_longer_unpriced]),
        ("changed and not priced", [item for each in found for item in each.changed_unpriced]),
    )
    return "".join(
        f"; {words}: {_names(sorted(items, key=lambda item: -amounts.get(key_of(item.urn), Decimal(0))))}"
        for words, items in lists
        if items
    )


def _amounts(found: Sequence[Diff]) -> dict[str, Decimal]:
    """USD per month of each resource that loses or gains a price."""
    amounts: dict[str, Decimal] = {}
    for line in (line for each in found for part in each.parts for line in part.lines if line.change is None):
        key = key_of(line.line.urn)
        amounts[key] = amounts.get(key, Decimal(0)) + abs(line.known)
    return amounts


def unpriced_lists(found: Diff) -> Iterator[tuple[str, Sequence[NotPriced]]]:
    """(heading, unpriced items) of the differences; every list has items."""
    for heading, items in (
        ("Newly without a price, not in the total", found.newly_unpriced),
        ("No longer without a price", found.no_longer_unpriced),
        ("Without a price before and after, and changed", found.changed_unpriced),
    ):
        if items:
            yield heading, items


def _names(items: Sequence[NotPriced]) -> str:
    names = [quoted(name) for name in dict.fromkeys(urn_name(item.urn) for item in items)]
    more = len(names) - _NAMED
    return f"{', '.join(names[:_NAMED])}{f' and {more:,} more' if more > 0 else ''}"


def _committed(found: Diff) -> str:
    """The part of the change that is capacity bought elsewhere, whose bill this change does not end."""
    moved = found.new.estimate.committed_monthly - found.old.estimate.committed_monthly
    billed_on = ", where billing continues" if moved < 0 else ""
    return f"; of which {change(moved)} committed elsewhere{billed_on}" if moved else ""


def part_cells(part: PartChange) -> tuple[str, str, str]:
    """Before, after, change."""
    before, after = part.lacks
    return (
        ranged(part.before.expected, before),
        ranged(part.after.expected, after),
        part.change.shown,
    )


def line_cells(line: LineChange) -> tuple[str, str, str]:
    """Before, after, change; empty if the line is missing."""
    before = money(line.monthly_before.expected) if line.before else ""
    after = money(line.monthly_after.expected) if line.after else ""
    if line.change is not None:
        return before, after, change(line.change)
    return ("no price", after, line.kind) if line.kind == "price gained" else (before, "no price", line.kind)


def total_rows(found: Diff) -> Iterator[tuple[str, str, str, str]]:
    """(name, before, after, change) of the totals; floor and ceiling if anything is autoscaled."""
    old, new = found.old.estimate, found.new.estimate

    def row(name: str, of: Callable[[Amounts], Decimal | Unbounded]) -> tuple[str, str, str, str]:
        before, after = of(found.before), of(found.after)
        moved = change_of(before, after)
        gaps = Gap.of(found.open_before, of), Gap.of(found.open_after, of)
        lacks = Gap.of(old.not_priced, of), Gap.of(new.not_priced, of)
        shown = change(None) if moved is None else Change(moved, moved, *gaps).shown
        return name, ranged(before, lacks[0]), ranged(after, lacks[1]), shown

    yield row("Total per month", lambda amounts: amounts.expected)
    if found.before.varies or found.after.varies:
        yield row("floor", lambda amounts: amounts.floor)
        yield row("ceiling", lambda amounts: amounts.ceiling)
    if old.committed_monthly or new.committed_monthly:
        before, after = old.committed_monthly, new.committed_monthly
        gaps = _committed_gap(found.open_before), _committed_gap(found.open_after)
        shown = Change(after - before, after - before, *gaps).shown
        yield "of which committed elsewhere", money(before), money(after), shown
    each = 1 / HOURS_PER_MONTH
    before, after = old.hourly.expected, new.hourly.expected
    delta = Change(after - before, after - before, found.change.before.times(each), found.change.after.times(each))
    yield "Total per hour", ranged(before, old.gaps.hourly), ranged(after, new.gaps.hourly), delta.shown
    before, after = old.per_training_gpu_hour, new.per_training_gpu_hour
    if before is not None and after is not None:
        yield "Per training GPU-hour", _gpu_hour(old, before), _gpu_hour(new, after), _gpu_hour_moved(found)


def _committed_gap(items: Sequence[NotPriced]) -> Gap:
    """The gap of these in the sum of committed capacity."""
    elsewhere = "committed-elsewhere"
    return Gap.of(item for item in items if item.between is None or item.between.most.spend == elsewhere)


def _gpu_hour(found: Estimate, amount: Decimal) -> str:
    return "unknown" if found.training_unknown else ranged(amount, found.gaps.gpu_hour)


def _gpu_hour_moved(found: Diff) -> str:
    """Items unpriced on both sides cancel out if the same number of GPUs shares them."""
    old, new = found.old.estimate, found.new.estimate
    before, after = old.per_training_gpu_hour, new.per_training_gpu_hour
    if before is None or after is None or old.training_unknown or new.training_unknown:
        return change(None)
    gaps = old.gaps.gpu_hour, new.gaps.gpu_hour
    return Change(after - before, after - before, *((CLOSED, CLOSED) if gaps[0] == gaps[1] else gaps)).shown
