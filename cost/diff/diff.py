"""Two estimates line by line. Sums of lines equal parts equal totals, on both sides and in the difference."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Final, Literal, TypeVar

from gpucluster.core.program.resources import key_of, urn_name
from gpucluster.cost.diff.change import Change, Unpriced
from gpucluster.cost.diff.losses import Loss, losses
from gpucluster.cost.diff.revisions import Revision
from gpucluster.cost.pricing.bounds import CLOSED, Gap
from gpucluster.cost.pricing.model import Amounts, CostLine, NotPriced

__all__ = ["Diff", "Kind", "LineChange", "PartChange", "ResourceChange", "change_of", "diff"]

Kind = Literal["added", "removed", "changed", "same", "price lost", "price gained"]

_Key = TypeVar("_Key")

_COUNT: Final = re.compile(r"^[\d,.]+ x ")


@dataclass(frozen=True, slots=True)
class LineChange:
    """A line before and after; one of them is None if it was added or removed.

    gap_before, gap_after: gap from unpriced items of its resource that differ from the other side.
    """

    before: CostLine | None
    after: CostLine | None
    gap_before: Gap = CLOSED
    gap_after: Gap = CLOSED

    @property
    def line(self) -> CostLine:
        """The line after the change, else before it."""
        found = self.after or self.before
        if found is None:
            raise ValueError("a change has a line before or after")
        return found

    @property
    def resource(self) -> str:
        """Logical name of its resource."""
        return urn_name(self.line.urn)

    @property
    def kind(self) -> Kind:
        """The change of the line; `same` if the billed item does not differ, or nothing is billed.

        A line has lost its price if it ends while its resource remains and is no longer fully priced: the item may
        still be billed.
        """
        before, after = _bill(self.before), _bill(self.after)
        if before == after:
            return "same"
        if self.gap_after.missing and _pays(self.before) and not _pays(self.after):
            return "price lost"
        if self.gap_before.missing and _pays(self.after) and not _pays(self.before):
            return "price gained"
        return "added" if before is None else "removed" if after is None else "changed"

    @property
    def name(self) -> str:
        """The billed item; both names if it differs."""
        if self.before is None or self.after is None or self.before.name == self.after.name:
            return self.line.name
        return f"{self.before.name} -> {self.after.name}"

    @property
    def monthly_before(self) -> Amounts:
        """USD per month; zero if it did not exist."""
        return Amounts.of([self.before] if self.before else [])

    @property
    def monthly_after(self) -> Amounts:
        """USD per month; zero if it will not exist."""
        return Amounts.of([self.after] if self.after else [])

    @property
    def change(self) -> Decimal | None:
        """Expected change in USD per month; None if a price is lost or gained, which is no change of cost."""
        return None if self.kind in ("price lost", "price gained") else self.known

    @property
    def known(self) -> Decimal:
        """Priced cost after, minus priced cost before."""
        return self.monthly_after.expected - self.monthly_before.expected


@dataclass(frozen=True)
class ResourceChange:
    """The lines of one resource within one part."""

    name: str
    lines: tuple[LineChange, ...]

    @property
    def before(self) -> Amounts:
        """USD per month before."""
        return Amounts.of(line.before for line in self.lines if line.before)

    @property
    def after(self) -> Amounts:
        """USD per month after."""
        return Amounts.of(line.after for line in self.lines if line.after)

    @cached_property
    def change(self) -> Change:
        """Expected change in USD per month."""
        return _change(self.lines, self.lines[0].gap_before, self.lines[0].gap_after)

    @property
    def changed(self) -> tuple[LineChange, ...]:
        """The lines that differ."""
        return tuple(line for line in self.lines if line.kind != "same")


@dataclass(frozen=True)
class PartChange(ResourceChange):
    """One component's lines.

    lacks: gaps of its amounts before, after. gaps: the parts of them that differ from the other side.
    """

    lacks: tuple[Gap, Gap] = (CLOSED, CLOSED)
    gaps: tuple[Gap, Gap] = (CLOSED, CLOSED)

    @cached_property
    def change(self) -> Change:
        """Expected change in USD per month."""
        return _change(self.lines, *self.gaps)

    @property
    def moves(self) -> bool:
        """Whether anything in it differs."""
        return bool(self.changed) or any(gap.missing for gap in self.gaps)

    @property
    def resources(self) -> tuple[ResourceChange, ...]:
        """The same by resource, largest change first."""
        found: dict[str, list[LineChange]] = {}
        for line in self.lines:
            found.setdefault(key_of(line.line.urn), []).append(line)
        changes = [ResourceChange(lines[0].resource, tuple(lines)) for lines in found.values()]
        return tuple(sorted(changes, key=lambda item: (-abs(item.change.known), item.name)))


@dataclass(frozen=True)
class Diff:
    """The change of a stack.

    parts: every component of either side, largest change first. losses: data and capacity that are not kept.
    newly_unpriced, no_longer_unpriced: items unpriced on one side only. changed_unpriced: unpriced on both sides and
    different. open_before, open_after: gap of that side's amount from differing items.
    """

    old: Revision
    new: Revision
    parts: tuple[PartChange, ...]
    losses: tuple[Loss, ...]
    newly_unpriced: tuple[NotPriced, ...]
    no_longer_unpriced: tuple[NotPriced, ...]
    changed_unpriced: tuple[NotPriced, ...]
    open_before: tuple[NotPriced, ...]
    open_after: tuple[NotPriced, ...]

    @property
    def before(self) -> Amounts:
        """USD per month before, of priced items."""
        return self.old.estimate.monthly

    @property
    def after(self) -> Amounts:
        """USD per month after, of priced items."""
        return self.new.estimate.monthly

    @property
    def stack(self) -> str:
        """Name of the stack, after or else before the change."""
        return self.new.stack or self.old.stack

    @property
    def complete(self) -> bool:
        """Whether everything on both sides is priced or free."""
        return self.old.estimate.complete and self.new.estimate.complete

    @cached_property
    def change(self) -> Change:
        """Expected change in USD per month."""
        return Change.of(part.change for part in self.parts)

    @property
    def moves(self) -> bool:
        """Whether any billed or unpriced item differs."""
        return any(part.moves for part in self.parts)

    @property
    def changed(self) -> tuple[LineChange, ...]:
        """Every line that differs, largest change first."""
        return tuple(sorted((line for part in self.parts for line in part.changed), key=_order))


def change_of(before: Decimal | str, after: Decimal | str) -> Decimal | None:
    """The difference; None if either is unbounded or unknown."""
    return None if isinstance(before, str) or isinstance(after, str) else after - before


def diff(old: Revision, new: Revision) -> Diff:
    """The change from one estimate to another. Both must use one book and the same assumptions.

    Resources match by URN without project and stack, so two stacks of one program can be compared.
    """
    unpriced = Unpriced.of(old, new)
    there = {key_of(urn) for urn in new.urns}
    return Diff(
        old=old,
        new=new,
        parts=tuple(sorted(_parts(old, new, unpriced), key=lambda part: (-abs(part.change.known), part.name))),
        losses=losses(
            _by_urn(old.estimate.lines, new),
            (urn for urn in old.urns if key_of(urn) not in there),
            new.ended,
            steps=new.steps,
        ),
        newly_unpriced=unpriced.newly,
        no_longer_unpriced=unpriced.no_longer,
        changed_unpriced=unpriced.changed,
        open_before=unpriced.before,
        open_after=unpriced.after,
    )


def _parts(old: Revision, new: Revision, unpriced: Unpriced) -> Iterator[PartChange]:
    priced = (part.name for side in (new, old) for part in side.estimate.parts)
    missing = (name for side in (new, old) for name in sorted(side.estimate.unpriced_parts))
    before, after = (
        _gaps(side, lambda item: (item.part, key_of(item.urn))) for side in (unpriced.before, unpriced.after)
    )
    part_before, part_after = (_gaps(side, lambda item: item.part) for side in (unpriced.before, unpriced.after))
    for name in dict.fromkeys((*priced, *missing)):
        lines: list[LineChange] = []
        for line in _matched(_lines(old, name), _lines(new, name)):
            key = name, key_of(line.line.urn)
            lines.append(replace(line, gap_before=before.get(key, CLOSED), gap_after=after.get(key, CLOSED)))
        lacks = old.estimate.gaps.part(name), new.estimate.gaps.part(name)
        gaps = part_before.get(name, CLOSED), part_after.get(name, CLOSED)
        yield PartChange(name, tuple(lines), lacks, gaps)


def _gaps(items: Iterable[NotPriced], key: Callable[[NotPriced], _Key]) -> dict[_Key, Gap]:
    """The gap that the items of each key leave."""
    found: dict[_Key, list[NotPriced]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return {key: Gap.of(of) for key, of in found.items()}


def _change(lines: Sequence[LineChange], before: Gap, after: Gap) -> Change:
    known = sum((line.known for line in lines), Decimal(0))
    comparable = sum((line.change or Decimal(0) for line in lines), Decimal(0))
    return Change(known, comparable, before, after)


def _by_urn(lines: Iterable[CostLine], new: Revision) -> dict[str, list[CostLine]]:
    """Old lines by URN, and by the URN of the same resource in the new file."""
    found: dict[str, list[CostLine]] = {}
    for line in lines:
        found.setdefault(line.urn, []).append(line)
    by_key = {key_of(urn): lines for urn, lines in found.items()}
    also = {item.urn for item in new.ended} - found.keys()
    return found | {urn: by_key[key_of(urn)] for urn in also if key_of(urn) in by_key}


def _lines(side: Revision, part: str) -> list[CostLine]:
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
    return key_of(line.urn), line.name


def _by_thing(line: CostLine) -> tuple[str, str]:
    return key_of(line.urn), _COUNT.sub("", line.name)


def _by_unit(line: CostLine) -> tuple[str, str]:
    return key_of(line.urn), line.unit


def _order(change: LineChange) -> tuple[Decimal, str, str]:
    return -abs(change.known), key_of(change.line.urn), change.name


def _pays(line: CostLine | None) -> bool:
    """Whether a line has an amount."""
    return _bill(line) is not None and line is not None and not line.paid_by


def _bill(line: CostLine | None) -> tuple[object, ...] | None:
    """The billing fields of a line; None if nothing is billed, as for usage assumed to be zero."""
    if line is None or not line.shown:
        return None
    return (
        line.name,
        line.quantity,
        line.floor,
        line.ceiling,
        line.unit,
        line.unit_price,
        line.spend,
        line.paid_by,
        line.upfront,
    )
