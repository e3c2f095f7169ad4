"""A document in the requested format. Each writer is imported where it is needed: a preview needs no JSON or page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final, TextIO

from gpucluster.core.documents.document import WIDEST, Document
from gpucluster.core.program.closing import Line, block
from gpucluster.core.text.terminal import beneath, show, shows_styles

NARROWEST: Final = 76
"""Below this amounts would have no room. With the engine's indentation it fits 80 columns."""


def written(document: Document, form: str, width: int = WIDEST) -> str:
    """The text, without a line end after its last line. form: table, markdown, html, csv or json.

    width: characters of a line of a table, as `width_for` gives it.
    """
    match form:
        case "json":
            from gpucluster.core.text.json_text import indented

            return indented(document.model())
        case "csv":
            from gpucluster.core.documents.csv import csv_of

            return csv_of(*document.rows())
        case "markdown":
            from gpucluster.core.documents.markdown import as_markdown

            return as_markdown(document)
        case "html":
            from gpucluster.core.documents.html import as_html

            return as_html(document)
        case _:
            from gpucluster.core.documents.terminal import as_text

            return as_text(document, width)


def width_for(stream: TextIO | None = None, *, indent: int = 0) -> int:
    """The width of a table in the terminal of `stream`, overridden by COLUMNS; WIDEST if it is not a terminal.

    stream: None for a program, which writes to the engine: only COLUMNS applies there.
    `gpucluster sandbox pulumi` sets it.
    indent: characters before each line. A wider terminal gets no wider table, in which rows are hard to follow.
    """
    if stream is not None and not stream.isatty():
        return WIDEST
    columns = os.environ.get("COLUMNS", "")
    have = int(columns) if columns.isdecimal() else 0
    if not have and stream is not None:
        have = os.get_terminal_size(stream.fileno()).columns
    return min(max(have - indent, NARROWEST), WIDEST) if have else WIDEST


def write(document: Document, form: str, output: TextIO, closing: Sequence[Line] = ()) -> None:
    """The text as a command writes it; nothing for a document without any. closing: the last lines of a table."""
    width = width_for(output)
    if form in ("json", "markdown", "html", "csv"):
        if text := written(document, form, width):
            output.write(f"{text}\n")
        return
    from gpucluster.core.documents.terminal import as_text

    parts = [as_text(document, width, styled=shows_styles(beneath(output)))]
    parts += [block(closing, width, output)] if closing else []
    if shown := "\n\n".join(filter(None, parts)):
        show(shown, output)
