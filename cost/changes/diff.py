"""Two estimates line by line. Sums of lines equal parts equal totals, on both sides and in the difference."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from cost.changes.losses import Loss, losses
from cost.estimate import Estimate
from cost.model import Amounts, CostLine, NotPriced, Unbounded
from cost.resources import urn_name
from cost.sources.ended import Ended

__all__ = ["Diff", "LineChange", "PartChange", "ResourceChange", "Side", "change_of", "diff"]

_COUNT: Final = re.compile(r"^[\d,.]+ x ")


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: its file, what it costs, and what its steps end.

    urns: every resource of it. stack: its name, empty where it has no resource to say it. steps: whether it is a plan,
    whose steps say what becomes of what exists.
    """

    title: str
    estimate: Estimate
    urns: frozenset[str]
    stack: str = ""
    steps: bool = False
    ended: tuple[Ended, ...] = ()


@dataclass(frozen=True, slots=True)
class LineChange:
    """A line before and after; one of them is None where it was added or removed."""

    before: CostLine | None
    after: CostLine | None

    @property
    def line(self) -> CostLine:
        """The line as it will be, else as it was."""
        found = self.after or self.before
        if found is None:
            raise ValueError("a change has a line before or after")
        return found

    @property
    def resource(self) -> str:
        """Logical name of its resource."""
        return urn_name(self.line.urn)

    @property
    def kind(self) -> Literal["added", "removed", "changed", "same"]:
        """What happens to the line; `same` where what is billed does not differ, and where nothing is."""
        before, after = _bill(self.before), _bill(self.after)
        if before == after:
            return "same"
        return "added" if before is None else "removed" if after is None else "changed"

    @property
    def name(self) -> str:
        """What is billed, before and after where that differs."""
        if self.before is None or self.after is None or self.before.name == self.after.name:
            return self.line.name
        return f"{self.before.name} -> {self.after.name}"

    @property
    def monthly_before(self) -> Amounts:
        """USD a month; zero where it was not there."""
        return Amounts.of([self.before] if self.before else [])

    @property
    def monthly_after(self) -> Amounts:
        """USD a month; zero where it will not be there."""
        return Amounts.of([self.after] if self.after else [])

    @property
    def change(self) -> Decimal:
        """USD a month more than before, as expected."""
        return self.monthly_after.expected - self.monthly_before.expected


@dataclass(frozen=True, slots=True)
class ResourceChange:
    """The lines of one resource within one part."""

    name: str
    lines: tuple[LineChange, ...]

    @property
    def before(self) -> Amounts:
        """USD a month before."""
        return Amounts.of(line.before for line in self.lines if line.before)

    @property
    def after(self) -> Amounts:
        """USD a month after."""
        return Amounts.of(line.after for line in self.lines if line.after)

    @property
    def change(self) -> Decimal:
        """USD a month more than before, as expected."""
        return self.after.expected - self.before.expected

    @property
    def changed(self) -> tuple[LineChange, ...]:
        """The lines that are not the same."""
        return tuple(line for line in self.lines if line.kind != "same")


@dataclass(frozen=True, slots=True)
class PartChange(ResourceChange):
    """One component's lines. unpriced: whether something in it has no price before, after."""

    unpriced: tuple[bool, bool] = (False, False)

    @property
    def resources(self) -> tuple[ResourceChange, ...]:
        """The same by resource, the largest change first."""
        found: dict[str, list[LineChange]] = {}
        for line in self.lines:
            found.setdefault(_key(line.line.urn), []).append(line)
        changes = [ResourceChange(lines[0].resource, tuple(lines)) for lines in found.values()]
        return tuple(sorted(changes, key=lambda item: (-abs(item.change), item.name)))


@dataclass(frozen=True, slots=True)
class Diff:
    """What changes.

    parts: every component of either side, the largest change first. losses: data and capacity that do not stay.
    newly_unpriced, no_longer_unpriced: what has no price on one side only.
    """

    old: Side
    new: Side
    parts: tuple[PartChange, ...]
    losses: tuple[Loss, ...]
    newly_unpriced: tuple[NotPriced, ...]
    no_longer_unpriced: tuple[NotPriced, ...]

    @property
    def before(self) -> Amounts:
        """USD a month before; at least that where something has no price."""
        return self.old.estimate.monthly

    @property
    def after(self) -> Amounts:
        """USD a month after; at least that where something has no price."""
        return self.new.estimate.monthly

    @property
    def stack(self) -> str:
        """Name of the stack, as it will be or as it was."""
        return self.new.stack or self.old.stack

    @property
    def complete(self) -> bool:
        """Whether everything on both sides has a price."""
        return self.old.estimate.complete and self.new.estimate.complete

    @property
    def change(self) -> Decimal:
        """USD a month more than before, as expected, of what has a price."""
        return self.after.expected - self.before.expected

    @property
    def changed(self) -> tuple[LineChange, ...]:
        """Every line that is not the same, the largest change first."""
        return tuple(sorted((line for part in self.parts for line in part.changed), key=_order))


def change_of(before: Decimal | Unbounded, after: Decimal | Unbounded) -> Decimal | None:
    """How much more; None where either has no bound."""
    return None if isinstance(before, str) or isinstance(after, str) else after - before


def diff(old: Side, new: Side) -> Diff:
    """The change from one estimate to another. Both are to be made with one book and the same assumptions.

    A resource is the same one when its URN is, but for project and stack: so two stacks of one program compare too.
    """
    names = dict.fromkeys(part.name for side in (new, old) for part in side.estimate.parts)
    parts = [
        PartChange(
            name,
            tuple(_matched(_lines(old, name), _lines(new, name))),
            (name in old.estimate.unpriced_parts, name in new.estimate.unpriced_parts),
        )
        for name in names
    ]
    before, after = ({_missing(item): item for item in side.estimate.not_priced} for side in (old, new))
    there = {_key(urn) for urn in new.urns}
    return Diff(
        old=old,
        new=new,
        parts=tuple(sorted(parts, key=lambda part: (-abs(part.change), part.name))),
        losses=losses(
            _by_urn(old.estimate.lines, new),
            (urn for urn in old.urns if _key(urn) not in there),
            new.ended,
            steps=new.steps,
        ),
        newly_unpriced=tuple(after[key] for key in sorted(after.keys() - before.keys())),
        no_longer_unpriced=tuple(before[key] for key in sorted(before.keys() - after.keys())),
    )


def _key(urn: str) -> str:
    """A URN without stack and project."""
    return urn.split("::", 2)[2]


def _missing(item: NotPriced) -> tuple[str, str]:
    return _key(item.urn), item.reason


def _by_urn(lines: Iterable[CostLine], new: Side) -> dict[str, list[CostLine]]:
    """Old lines by URN, and by that which the new file has for the same resource."""
    found: dict[str, list[CostLine]] = {}
    for line in lines:
        found.setdefault(line.urn, []).append(line)
    by_key = {_key(urn): lines for urn, lines in found.items()}
    also = {item.urn for item in new.ended} - found.keys()
    return found | {urn: by_key[_key(urn)] for urn in also if _key(urn) in by_key}


def _lines(side: Side, part: str) -> list[CostLine]:
    return [line for item in side.estimate.parts if item.name == part for line in item.lines]


def _matched(old: Sequence[CostLine], new: Sequence[CostLine]) -> Iterator[LineChange]:
    """Lines of one part in pairs: of the same resource, by name, then by name without a count, then by unit."""
    before, after = list(old), list(new)
    pairs: list[LineChange] = []
    for key in (_by_name, _by_thing, _by_unit):
        waiting: dict[tuple[str, str], list[CostLine]] = {}
        for line in before:
            waiting.setdefault(key(line), []).append(line)
        rest: list[CostLine] = []
        for line in after:
            found = waiting.get(key(line))
            if found:
                pairs.append(LineChange(found.pop(0), line))
            else:
                rest.append(line)
        before, after = [line for lines in waiting.values() for line in lines], rest
    pairs += [LineChange(line, None) for line in before]
    pairs += [LineChange(None, line) for line in after]
    return iter(sorted(pairs, key=_order))


def _by_name(line: CostLine) -> tuple[str, str]:
    return _key(line.urn), line.name


def _by_thing(line: CostLine) -> tuple[str, str]:
    return _key(line.urn), _COUNT.sub("", line.name)


def _by_unit(line: CostLine) -> tuple[str, str]:
    return _key(line.urn), line.unit


def _order(change: LineChange) -> tuple[Decimal, str, str]:
    return -abs(change.change), _key(change.line.urn), change.name


def _bill(line: CostLine | None) -> tuple[object, ...] | None:
    """What a bill would show of a line; None where that is nothing, as for usage that is taken as zero."""
    if line is None or (not line.quantity and not line.autoscaled and line.spend == "new"):
        return None
    return (
        line.name,
        line.quantity,
        line.floor,
        line.ceiling,
        line.unit,
        line.unit_price,
        line.spend,
        line.committed_monthly,
        line.committed_upfront,
    )
