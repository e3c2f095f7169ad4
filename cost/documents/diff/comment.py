"""A change as a pull request comment: a sentence, a small table, folded details, and a hidden marker.

It fits within GitHub's limit, 65,536 characters, counted here as bytes of UTF-8 so that it also fits elsewhere.
Totals come first and are always complete; each list after them ends with the number of omitted rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from gpucluster.cost.diff import Diff, LineChange, Loss, PartChange
from gpucluster.cost.documents.diff.words import MARKS, line_cells, part_cells, sentence, total_rows, unpriced_lists
from gpucluster.cost.documents.words.basis import basis_sentence
from gpucluster.cost.documents.words.unpriced import unpriced_words
from gpucluster.cost.model import NotPriced
from gpucluster.cost.money import change, money
from gpucluster.cost.render.markdown import LONGEST, bytes_of, code, fitting, marker, row
from gpucluster.cost.verdict import budget_verdict
from gpucluster.program.resources import urn_name

LINE_HEAD: Final = ("| | resource | line | before | after | change |", "| --- | --- | --- | ---: | ---: | ---: |")
"""Above rows of `line_row`."""
_PARTS, _LOSSES, _UNPRICED, _ROOM_FOR_THE_REST = 12_000, 12_000, 6_000, 4_000
"""Maximum bytes of the rows of each list, and of everything else."""

_ROW = tuple[str, Decimal]
"""A row, and its change of items priced on both sides."""


def diff_comment(found: Diff) -> str:
    """The comment. Its order depends only on amounts and names, so that the same change gives the same text."""
    out = [f"**{sentence(found, code)}**", "", "| | before | after | change |", "| --- | ---: | ---: | ---: |"]
    out += [row(f"**{name}**", *cells) for name, *cells in total_rows(found)]
    out += _fitting([_part(part) for part in found.parts if part.moves], _PARTS, "parts")
    verdict = budget_verdict(found.new.estimate)
    if verdict is not None:
        out += ["", f"Budget: {verdict.sentence}."]
    if found.losses:
        out += ["", "**Storage and reserved capacity that are deleted or replaced**", ""]
        out += _fitting([(loss_item(loss), Decimal(0)) for loss in found.losses], _LOSSES, "resources", listed=True)
    for heading, items in unpriced_lists(found):
        out += ["", f"**{heading}**", ""]
        out += _fitting([_unpriced(item) for item in items], _UNPRICED, "resources", listed=True)
    out += _detail(found, LONGEST - bytes_of(out) - _ROOM_FOR_THE_REST)
    out += ["", f"{basis_sentence(found.old.estimate, found.new.estimate, month=True)}.", ""]
    return "\n".join([*out, marker("cost diff", found.stack)])


def _detail(found: Diff, room: int) -> list[str]:
    lines = found.changed
    if not lines:
        return []
    rows = _fitting([(line_row(line), line.change or Decimal(0)) for line in lines], room, "lines")
    count = "1 line changes" if len(lines) == 1 else f"{len(lines):,} lines change"
    return ["", f"<details><summary>{count}</summary>", "", *LINE_HEAD, *rows, "", "</details>"]


def _fitting(rows: Sequence[_ROW], room: int, what: str, *, listed: bool = False) -> list[str]:
    """The first rows that fit into so many bytes, the number of the others and their total change."""

    def rest(left: Sequence[_ROW]) -> str:
        more, together = f"{len(left):,} more {what}", sum((amount for _, amount in left), Decimal(0))
        return f"- {more}" if listed else row(f"{more}, together {change(together)}")

    return fitting(rows, lambda item: item[0], room, rest)


def _part(part: PartChange) -> _ROW:
    return row(code(part.name), *part_cells(part)), part.change.comparable


def line_row(line: LineChange) -> str:
    """One line as a row: mark, resource, line, before, after, change."""
    return row(f"`{MARKS[line.kind]}`", code(line.resource), code(line.name), *line_cells(line))


def loss_item(loss: Loss) -> str:
    """One resource that is deleted or replaced, as a list item."""
    cost = f"; {money(loss.monthly)} a month before" if loss.monthly else ""
    because = f", forced by {', '.join(map(code, loss.because[:3]))}" if loss.because and not loss.retained else ""
    return f"- {code(loss.name)} ({code(loss.type)}): {loss.outcome}{because}{cost}"


def _unpriced(item: NotPriced) -> _ROW:
    return f"- {code(urn_name(item.urn))} ({code(item.type)}): {code(unpriced_words(item))}", Decimal(0)
