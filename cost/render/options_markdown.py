"""Ways to buy as Markdown, for documents."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.options import Options, PoolOptions
from gpucluster.cost.render.markdown import escaped, table
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

__all__ = ["options_markdown"]


def options_markdown(options: Options, title: str) -> str:
    """The whole report: tables for each pool, and lists of what to know of them."""
    return "\n".join(_lines(options, title))


def _lines(options: Options, title: str) -> Iterator[str]:
    yield escaped(f"{title}: {basis(options)}")
    for found in options.pools:
        yield from ("", f"**{escaped(heading(found, options))}**", "")
        yield from _pool(found, options)
    if not options.pools:
        yield from ("", "No GPU machines that may be bought in another way")
    yield from _list(HELD, [*held_texts(options)])


def _pool(found: PoolOptions, options: Options) -> Iterator[str]:
    yield from table(*(option_rows(found, options) if found.options else mix_rows(found)))
    heads, zones = zone_rows(found)
    if zones:
        yield ""
        yield from table(heads, zones)
    yield from _list("What to know", [*([rest(found)] if found.options else []), *remarks(found, options)])
    yield from _list("Not priced", [f"{words}: {reason.reason}" for words, reason in found.not_priced])
    yield from _list("Prices", [*prices(found)])


def _list(title: str, texts: list[str]) -> Iterator[str]:
    if texts:
        yield from ("", f"{title}:", "")
        yield from (f"- {escaped(text)}" for text in texts)
