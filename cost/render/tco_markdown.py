"""Owning as Markdown, for documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpucluster.cost.render.markdown import escaped, table
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

__all__ = ["tco_markdown"]


def tco_markdown(own: Own, lives: Sequence[Own], found: Sequence[Against]) -> str:
    """The whole report. lives: the same cluster used for other numbers of years."""
    return "\n".join(_lines(own, lives, found))


def _lines(own: Own, lives: Sequence[Own], found: Sequence[Against]) -> Iterator[str]:
    yield escaped(heading(own))
    yield ""
    yield from table(*item_rows(own))
    yield ""
    yield from table(["", ""], [[what.strip(), amount] for what, amount in total_rows(own, lives)])
    lacking = [*missing(own)]
    if lacking:
        yield from ("", "**Not included, since nobody gave a figure**", "")
        yield from (f"- {escaped(text)}" for text in lacking)
    for heads, rows in (use_rows(own, found), idle_rows(found)):
        if rows:
            yield ""
            yield from table(heads, rows)
    notes = [*remarks(own, found)]
    if notes:
        yield ""
        yield from (f"- {escaped(text)}" for text in notes)
    yield ""
    yield from table(*input_rows(own), words={0, 2, 3})
