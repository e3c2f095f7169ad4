"""Owning for people: what a year costs, what is not in it, every input, and from which use on it is cheaper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpucluster.cost.render.grid import grid
from gpucluster.cost.render.layout import WIDEST, Layout
from gpucluster.cost.render.tco_rows import (
    heading,
    idle_rows,
    input_rows,
    item_rows,
    missing,
    remarks,
    total_rows,
    use_rows,
)
from gpucluster.cost.tco import Against, Own

__all__ = ["tco_table"]


def tco_table(own: Own, lives: Sequence[Own], found: Sequence[Against], width: int = WIDEST) -> str:
    """The whole report. lives: the same cluster used for other numbers of years. width: characters of a line."""
    layout = Layout(width)
    lines = layout.under("", heading(own))
    lines += ["", *grid(*item_rows(own), width), ""]
    for what, amount in total_rows(own, lives):
        lines += layout.total(what, amount)
    lacking = [*missing(own)]
    if lacking:
        lines += ["", "Not included, since nobody gave a figure: --set NAME=VALUE, or a line of --inputs FILE"]
        lines += [line for text in lacking for line in layout.wrapped("  -", text)]
    lines += _against(own, found, layout)
    lines += ["", "Inputs"]
    rows = input_rows(own)[1]
    name, value, unit = (max(len(row[at]) for row in rows) for at in range(3))
    for row in rows:
        start = f"  {row[0]:<{name}}  {row[1]:>{value}}  {row[2]:<{unit}}"
        lines += layout.wrapped(start, row[3])
    return "\n".join(lines)


def _against(own: Own, found: Sequence[Against], layout: Layout) -> Iterator[str]:
    for heads, rows in (use_rows(own, found), idle_rows(found)):
        if rows:
            yield ""
            yield from grid(heads, rows, layout.width)
    for text in remarks(own, found):
        yield from layout.wrapped("  -", text)
