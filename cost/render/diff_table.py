"""A change for people: plain text, part by part, before, after and the difference."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from gpucluster.cost.changes import Diff
from gpucluster.cost.model import Amounts
from gpucluster.cost.money import money
from gpucluster.cost.render.diff_words import MARKS, line_cells, part_cells, sentence, total_rows, unpriced_lists
from gpucluster.cost.render.layout import WIDEST, Layout
from gpucluster.cost.verdict import budget_verdict
from gpucluster.program.resources import urn_name

__all__ = ["diff_table"]

_AMOUNT: Final = 21
"""Characters of `at least $215,421.64` and a space."""


def diff_table(found: Diff, width: int = WIDEST) -> str:
    """The whole change. width: characters of a line, as `width_for` gives it."""
    layout = Layout(width)
    titles = f"Change from {found.old.title} to {found.new.title}"
    out = layout.under("", f"{titles}: list prices in USD a month, before tax, discounts, support and data transfer")
    out += ["", *layout.under("", sentence(found))]
    out += ["", *_row("", ("before", "after", "change"), width)]
    for part in found.parts:
        if part.moves:
            out += _row(part.name, part_cells(part), width)
            for line in part.changed:
                name = f"  {MARKS[line.kind]} {line.name} ({line.resource})"
                out += _row(name, line_cells(line), width)
                if any(side and side.autoscaled for side in (line.before, line.after)):
                    out += layout.under("      ", _bounds(line.monthly_before, line.monthly_after))
            out.append("")
    for name, *cells in total_rows(found):
        out += _row(name if name[0].isupper() else f"  {name}", cells, width)
    verdict = budget_verdict(found.new.estimate)
    if verdict is not None:
        out += layout.wrapped("Budget:", verdict.sentence)
    out += _remarks(found, layout)
    return "\n".join(out)


def _remarks(found: Diff, layout: Layout) -> Iterator[str]:
    if found.losses:
        yield from ("", "Storage and reserved capacity that do not stay as they are")
        for loss in found.losses:
            cost = f"; {money(loss.monthly)} a month before" if loss.monthly else ""
            because = f", forced by {', '.join(loss.because)}" if loss.because and not loss.retained else ""
            yield from layout.wrapped("  !", f"{loss.name} ({loss.type}): {loss.outcome}{because}{cost}")
    for heading, items in unpriced_lists(found):
        yield from ("", heading)
        for item in items:
            yield from layout.wrapped("  -", f"{item.type} {urn_name(item.urn)}: {item.reason}")
    same = sum(len(part.lines) - len(part.changed) for part in found.parts)
    yield from ("", f"{len(found.changed)} lines change, {same} stay the same")


def _bounds(before: Amounts, after: Amounts) -> str:
    """Floor and ceiling of autoscaled capacity; one amount where it stays."""

    def moved(old: str, new: str) -> str:
        return new if old == new else f"{old} -> {new}"

    floor = moved(money(before.floor), money(after.floor))
    return f"floor {floor}, ceiling {moved(money(before.ceiling), money(after.ceiling))}"


def _row(name: str, cells: Iterable[str], width: int) -> list[str]:
    """A name, folded within its column, and amounts behind its last line."""
    amounts = "".join(f" {cell:>{_AMOUNT - 1}}" for cell in cells)
    room = width - len(amounts)
    *above, last = textwrap.wrap(name, room, subsequent_indent="      ", break_on_hyphens=False) or [""]
    return [*above, f"{last:<{room}}{amounts}".rstrip()]
