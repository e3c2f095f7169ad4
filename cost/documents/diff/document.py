"""A change for users: by part, before, after and the difference."""

from __future__ import annotations

from collections.abc import Iterator

from gpucluster.cost.diff import Diff, LineChange
from gpucluster.cost.documents.diff.comment import diff_comment
from gpucluster.cost.documents.diff.model import diff_model
from gpucluster.cost.documents.diff.rows import COLUMNS, diff_rows
from gpucluster.cost.documents.diff.words import MARKS, line_cells, part_cells, sentence, total_rows, unpriced_lists
from gpucluster.cost.documents.words.basis import basis
from gpucluster.cost.documents.words.unpriced import unpriced_words
from gpucluster.cost.model import Amounts
from gpucluster.cost.money import money
from gpucluster.cost.render.document import Block, Document, Group, Notes, Row, Table
from gpucluster.cost.verdict import budget_verdict
from gpucluster.program.resources import urn_name


def diff_document(found: Diff) -> Document:
    """The whole change."""
    return Document(
        title=f"Change from {found.old.title} to {found.new.title}",
        basis=basis(found.old.estimate, found.new.estimate, month=True),
        blocks=lambda: _blocks(found),
        model=lambda: diff_model(found),
        columns=COLUMNS,
        rows=lambda: diff_rows(found),
        comment=lambda: diff_comment(found),
    )


def _blocks(found: Diff) -> Iterator[Block]:
    yield sentence(found)
    yield Table(heads=["", "before", "after", "change"], groups=[*_groups(found)])
    verdict = budget_verdict(found.new.estimate)
    if verdict is not None:
        yield f"Budget: {verdict.sentence}"
    if found.losses:
        texts: list[str] = []
        for loss in found.losses:
            cost = f"; {money(loss.monthly)} a month before" if loss.monthly else ""
            because = f", forced by {', '.join(loss.because)}" if loss.because and not loss.retained else ""
            texts.append(f"{loss.name} ({loss.type}): {loss.outcome}{because}{cost}")
        yield Notes("Storage and reserved capacity that are deleted or replaced", texts)
    for heading, items in unpriced_lists(found):
        yield Notes(heading, [f"{item.type} {urn_name(item.urn)}: {unpriced_words(item)}" for item in items])
    same = sum(len(part.lines) - len(part.changed) for part in found.parts)
    yield f"{len(found.changed)} lines change, {same} stay the same"


def _groups(found: Diff) -> Iterator[Group]:
    """The changed parts, then the totals."""
    for part in found.parts:
        if part.moves:
            head = Row((part.name, *part_cells(part)), strong=True)
            yield Group("", [head, *map(_line, part.changed)])
    rows = [Row((name if name[0].isupper() else f"  {name}", *cells)) for name, *cells in total_rows(found)]
    yield Group("", rows)


def _line(line: LineChange) -> Row:
    autoscaled = any(side and side.autoscaled for side in (line.before, line.after))
    below = [_bounds(line.monthly_before, line.monthly_after)] if autoscaled else []
    return Row((f"  {MARKS[line.kind]} {line.name} ({line.resource})", *line_cells(line)), below)


def _bounds(before: Amounts, after: Amounts) -> str:
    """Floor and ceiling of autoscaled capacity; one amount if unchanged."""

    def moved(old: str, new: str) -> str:
        return new if old == new else f"{old} -> {new}"

    floor = moved(money(before.floor), money(after.floor))
    return f"floor {floor}, ceiling {moved(money(before.ceiling), money(after.ceiling))}"
