"""A document as Markdown, for comments and documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gpucluster.cost.render.document import Block, Document, Group, Heading, Notes, Row, Table, Totals
from gpucluster.cost.render.markdown import escaped, row


def as_markdown(document: Document) -> str:
    """Blocks separated by empty lines; foreign texts are escaped."""
    lines = [escaped(": ".join(filter(None, (document.title, document.basis))))]
    for block in document.blocks():
        lines += ["", *_lines(block)]
    return "\n".join(lines)


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Table():
            yield from _table(block)
        case Totals():
            yield row("", "")
            yield "| --- | ---: |"
            for what, amount in block.rows:
                yield row(escaped(what), escaped(amount))
        case Notes():
            if block.heading:
                yield from (f"**{escaped(block.heading)}**", "")
            yield from (f"- {escaped(text)}" for text in block.texts)
            if block.verbatim:
                sentence, *lines = block.verbatim
                yield from ("", f"{escaped(sentence)}:", "", "```", *lines, "```")
        case Heading():
            yield f"**{escaped(block.text)}**"
        case str():
            yield escaped(block)


def _table(table: Table) -> Iterator[str]:
    if not table.detail:
        yield from _rows(table, table.groups)
        return
    sums = [Row(one.cells) for group in table.groups for one in group.rows if one.strong]
    yield from _rows(table, [Group("", sums)])
    yield from ("", f"<details><summary>{table.detail}</summary>", "")
    yield from _rows(table, table.groups)
    yield from ("", "</details>")


def _rows(table: Table, groups: Sequence[Group]) -> Iterator[str]:
    below = any(row.below for group in groups for row in group.rows)
    heads = [*table.heads, table.below] if below else table.heads
    words = {*table.words, len(table.heads)}
    yield row(*map(escaped, heads))
    yield "|" + "".join(" --- |" if at in words else " ---: |" for at in range(len(heads)))
    for group in groups:
        if group.heading:
            yield row(f"**{escaped(group.heading)}**", *[""] * (len(heads) - 1))
        for one in group.rows:
            name, *cells = [*one.cells, "; ".join(one.below)] if below else one.cells
            yield row(f"**{escaped(name)}**" if one.strong else escaped(name), *map(escaped, cells))
