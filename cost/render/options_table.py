"""Ways to buy for people: plain text, a table for each pool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpucluster.cost.options import Options, PoolOptions
from gpucluster.cost.prices import OWN_ROW, PRICES_VARIABLE
from gpucluster.cost.render.grid import grid
from gpucluster.cost.render.layout import WIDEST, Layout
from gpucluster.cost.render.options_rows import (
    HELD,
    basis,
    heading,
    held_texts,
    mix_rows,
    option_rows,
    prices,
    remarks,
    rest,
    zone_rows,
)

__all__ = ["options_table"]


def options_table(options: Options, title: str, width: int = WIDEST) -> str:
    """The whole report. width: characters of a line, as `width_for` gives it."""
    layout = Layout(width)
    lines = layout.under("", f"{title}: {basis(options)}")
    for found in options.pools:
        lines += ["", *layout.under("", heading(found, options)), ""]
        lines.extend(_pool(found, options, layout))
    if not options.pools:
        lines += ["", "No GPU machines that may be bought in another way"]
    if options.held:
        lines += ["", HELD]
        for text in held_texts(options):
            lines += layout.wrapped("  -", text)
    return "\n".join(lines)


def _pool(found: PoolOptions, options: Options, layout: Layout) -> Iterator[str]:
    yield from _block(grid(*(option_rows(found, options) if found.options else mix_rows(found)), layout.width))
    notes = list(remarks(found, options))
    if found.options:
        notes.insert(0, rest(found))
    yield from _block(line for note in notes for line in layout.wrapped("  -", note))
    heads, zones = zone_rows(found)
    if zones:
        yield from _block(grid(heads, zones, layout.width))
    if found.not_priced:
        yield "Not priced"
        yield from _block(_not_priced(found, layout))
    yield "Prices"
    for text in prices(found):
        yield from layout.wrapped("  -", text)


def _not_priced(found: PoolOptions, layout: Layout) -> Iterator[str]:
    for words, reason in found.not_priced:
        if not reason.own_row:
            yield from layout.wrapped("  -", f"{words}: {reason.reason}")
    own = [(words, reason.own_row) for words, reason in found.not_priced if reason.own_row]
    if own:
        yield from layout.wrapped("  -", "; ".join(words for words, _ in own))
        yield from layout.under("  ", f"For prices of your own, --prices FILE or {PRICES_VARIABLE}=FILE, a CSV with")
        yield from (f"    {row}" for row in (OWN_ROW, *(f"{row},..." for _, row in own)))


def _block(lines: Iterable[str]) -> Iterator[str]:
    """Lines and an empty one, nothing without lines."""
    empty = True
    for line in lines:
        empty = False
        yield line
    if not empty:
        yield ""
