"""A document as a page: charts first, then its blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from gpucluster.cost.render.document import Block, Document, Group, Heading, Notes, Table, Totals
from gpucluster.cost.render.html.page import items, page, safe, scrolling

_NUMBER: Final = ' class="number"'


def as_html(document: Document) -> str:
    """The whole page, with the totals in its header."""
    return page(document.title, _body(document))


def _body(document: Document) -> Iterator[str]:
    blocks = [*document.blocks()]
    yield f"<header>\n<h1>{safe(document.title)}</h1>"
    if basis := document.basis:
        sentence = f"{basis[0].upper()}{basis[1:]}"
        yield f'<p class="quiet">{safe(sentence)}.</p>'
    yield from (_totals(block) for block in blocks if isinstance(block, Totals))
    yield "</header>\n<main>"
    yield from document.drawings()
    yield from (_block(block) for block in blocks if not isinstance(block, Totals))
    yield "</main>"


def _totals(block: Totals) -> str:
    listed = "".join(f"<div><dt>{safe(what.strip())}</dt><dd>{safe(amount)}</dd></div>" for what, amount in block.rows)
    return f'<dl class="totals">{listed}</dl>'


def _block(block: Block) -> str:
    match block:
        case Table():
            return "\n".join(_section(group.heading, _table(block, group)) for group in block.groups)
        case Notes():
            copied = f"<pre>{safe(chr(10).join(block.verbatim))}</pre>" if block.verbatim else ""
            return _section(block.heading, items(block.texts) + copied)
        case Heading():
            return f"<h2>{safe(block.text)}</h2>"
        case Totals():
            return _totals(block)
        case str():
            return f"<p>{safe(block)}</p>"


def _section(heading: str, inside: str) -> str:
    head = f"<h2>{safe(heading)}</h2>\n" if heading else ""
    return f'<section class="long">\n{head}{inside}\n</section>'


def _table(table: Table, group: Group) -> str:
    first, *others = table.heads
    head = f'<th scope="col">{safe(first)}</th>' if first else "<td></td>"
    head += "".join(
        f'<th scope="col"{"" if at in table.words else _NUMBER}>{safe(text)}</th>' for at, text in enumerate(others, 1)
    )
    rows = "".join(
        f'<tr><th scope="row">{safe(row.cells[0].strip())}{_below(row.below)}</th>'
        + "".join(f"<td{_kind(table, at, cell)}>{safe(cell)}</td>" for at, cell in enumerate(row.cells[1:], 1))
        + "</tr>"
        for row in group.rows
    )
    inside = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return scrolling(inside, group.heading or first)


def _below(texts: Sequence[str]) -> str:
    return "".join(f'<br><span class="quiet">{safe(text)}</span>' for text in texts)


def _kind(table: Table, at: int, cell: str) -> str:
    """Figure columns are right-aligned; words in them too, with wrapping."""
    if at in table.words:
        return ""
    amount = cell.startswith(("$", "+$", "-$", "at least")) or cell.replace(",", "").replace(".", "").isdecimal()
    return _NUMBER if amount else ' class="words"'
