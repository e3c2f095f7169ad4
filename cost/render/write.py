"""A document in the requested format."""

from __future__ import annotations

from gpucluster.cost.render.csv_text import csv_of
from gpucluster.cost.render.document import Document
from gpucluster.cost.render.forms.text import as_text
from gpucluster.cost.render.layout import WIDEST
from gpucluster.textio.json_text import indented


def written(document: Document, form: str, width: int = WIDEST) -> str:
    """The text, without a line end after its last line. form: table, markdown, html, csv or json.

    width: characters of a line of a table, as `width_for` gives it.
    """
    if form == "json":
        return indented(document.model())
    if form == "csv":
        return csv_of(document.columns, document.rows())
    if form == "markdown" and document.comment is not None:
        return document.comment()
    if form == "markdown":
        from gpucluster.cost.render.forms.markdown import as_markdown

        return as_markdown(document)
    if form == "html":
        from gpucluster.cost.render.forms.html import as_html

        return as_html(document)
    return as_text(document, width)
