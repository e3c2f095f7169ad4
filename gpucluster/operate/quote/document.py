"""One answer as a table, Markdown, a page, CSV and JSON: a document of sections, with one writer for each format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gpucluster.cost.documents.forms.document import Document, Notes, Section, table
from gpucluster.operate.quote.quotes import Answer
from gpucluster.operate.quote.text import HEADS, Numbered, cells, heading, left_out, numbered, sections


def quote_document(answer: Answer, top: int) -> Document:
    """top: number of rows for users; machines get every quote and every exclusion."""

    def model() -> Any:
        from gpucluster.operate.quote.answer_json import answer_json

        return answer_json(answer)

    def rows() -> tuple[list[str], Iterator[Mapping[str, Any]]]:
        from gpucluster.operate.quote.answer_json import QuoteRow, quote_row

        found = (quote_row(one).model_dump() for one in numbered(answer, len(answer.quotes)))
        return [*QuoteRow.model_fields], found

    return Document(
        title=heading(answer),
        sections=lambda: _sections(answer, numbered(answer, top)),
        model=model,
        rows=rows,
    )


def _sections(answer: Answer, rows: list[Numbered]) -> Iterator[Section]:
    yield table(HEADS, [cells(one) for one in rows])
    if rest := len(answer.quotes) - len(rows):
        yield f"{rest} more: --top {len(answer.quotes)}, or --format csv"
    yield from (Notes(title, texts) for title, texts in sections(rows))
    if texts := left_out(answer):
        yield Notes("Excluded", texts)
