"""`gpucluster cost diff`: by part, before, after and the difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from gpucluster.core.documents.document import Comment, Document, Notes, Row, Section, Table, counted, quoted
from gpucluster.core.program.resources import urn_name
from gpucluster.cost.diff import Diff, LineChange, Loss
from gpucluster.cost.documents.diff.diff_text import answer, line_cells, part_cells, total_rows, unpriced_lists
from gpucluster.cost.documents.text import basis, unpriced
from gpucluster.cost.estimate.budgets import budget_verdict
from gpucluster.cost.pricing.model import Amounts, NotPriced
from gpucluster.cost.pricing.money import change, money

MARKS: Final = {"added": "+", "removed": "-", "changed": "~", "same": "=", "price lost": "?", "price gained": "?"}

COLUMNS: Final = (
    "kind", "part", "resource", "resource_name", "line", "quantity_before", "quantity_after", "unit", "monthly_before",
    "monthly_after", "change", "reason",
)  # fmt: skip
"""kind: `added`, `removed`, `changed`; `price lost`, `price gained`, which have no change; and, with a reason but no
amounts, `newly unpriced`, `no longer unpriced`, `changed and unpriced`. USD per month, expected."""


def diff_document(found: Diff) -> Document:
    """The whole change. Its order depends only on amounts and names, so that the same change gives the same text."""

    def model() -> Any:
        from gpucluster.cost.documents.diff.diff_json import diff_json

        return diff_json(found)

    return Document(
        title=f"Change from {found.old.title} to {found.new.title}",
        basis=basis(found.old.estimate, found.new.estimate, month=True),
        answer=answer(found),
        sections=lambda: diff_sections(found),
        model=model,
        rows=lambda: (COLUMNS, _rows(found)),
        comment=Comment(marker=("cost diff", found.stack)),
    )


def diff_sections(found: Diff) -> Iterator[Section]:
    """Parts, lines and totals that change; the budget, losses, and items without a price."""
    same = sum(len(part.lines) - len(part.changed) for part in found.parts)
    sums = [Row(cells, strong=cells[0][0].isupper()) for cells in total_rows(found)]
    yield Table(
        heads=["", "before", "after", "change"],
        rows=[row for part in found.parts if part.moves for row in (
            Row((quoted(part.name), *part_cells(part)), strong=True, amount=part.change.comparable),
            *map(_line, part.changed),
        )],
        sums=sums,
        detail=f"{counted(len(found.changed), 'line')} change{'s' if len(found.changed) == 1 else ''}",
        more=_omitted,
    )  # fmt: skip
    verdict = budget_verdict(found.new.estimate)
    if verdict is not None:
        yield f"Budget: {verdict.sentence}"
    if found.losses:
        yield Notes("Storage and reserved capacity that are deleted or replaced", [*map(_loss, found.losses)])
    for heading, items in unpriced_lists(found):
        yield Notes(
            heading,
            [f"{quoted(item.type)} {quoted(urn_name(item.urn))}: {quoted(unpriced(item), 600)}" for item in items],
        )
    yield f"{len(found.changed)} lines change, {same} stay the same"


def _omitted(rows: Sequence[Row]) -> str:
    lines = [row for row in rows if not row.strong]
    found, what = (lines, "more line") if lines else (rows, "more part")
    return f"{counted(len(found), what)}, together {change(sum((row.amount for row in found), Decimal(0)))}"


def _loss(loss: Loss) -> str:
    """One resource that is deleted or replaced."""
    cost = f"; {money(loss.monthly)} a month before" if loss.monthly else ""
    because = f", forced by {', '.join(map(quoted, loss.because))}" if loss.because and not loss.retained else ""
    return f"{quoted(loss.name)} ({quoted(loss.type)}): {loss.outcome}{because}{cost}"


def _line(line: LineChange) -> Row:
    autoscaled = any(side and side.autoscaled for side in (line.before, line.after))
    below = [_bounds(line.monthly_before, line.monthly_after)] if autoscaled else []
    return Row((_line_name(line), *line_cells(line)), below, amount=line.change or Decimal(0))


def _line_name(line: LineChange) -> str:
    """`+ NAT gateway (nat)`."""
    return f"{MARKS[line.kind]} {quoted(line.name, 120)} ({quoted(line.resource)})"


def _bounds(before: Amounts, after: Amounts) -> str:
    """Floor and ceiling of autoscaled capacity; one amount if unchanged."""

    def moved(old: str, new: str) -> str:
        return new if old == new else f"{old} -> {new}"

    floor = moved(money(before.floor), money(after.floor))
    return f"floor {floor}, ceiling {moved(money(before.ceiling), money(after.ceiling))}"


def _rows(found: Diff) -> Iterable[Mapping[str, Any]]:
    """A row for each changed line, and for each item without a price on one side, in the order of the table."""
    for part in found.parts:
        yield from (_line_row(line, part.name) for line in part.changed)
    yield from (_unpriced_row(item, "newly unpriced") for item in found.newly_unpriced)
    yield from (_unpriced_row(item, "no longer unpriced") for item in found.no_longer_unpriced)
    yield from (_unpriced_row(item, "changed and unpriced") for item in found.changed_unpriced)


def _line_row(line: LineChange, part: str) -> dict[str, Any]:
    """Values of a missing line are empty."""
    before = None if line.kind == "price gained" else line.before
    after = None if line.kind == "price lost" else line.after
    return {
        "kind": line.kind,
        "part": part,
        "resource": line.line.urn,
        "resource_name": line.resource,
        "line": line.name,
        "quantity_before": before and f"{before.quantity:f}",
        "quantity_after": after and f"{after.quantity:f}",
        "unit": line.line.unit,
        "monthly_before": before and f"{before.monthly:f}",
        "monthly_after": after and f"{after.monthly:f}",
        "change": None if line.change is None else f"{line.change:f}",
    }


def _unpriced_row(item: NotPriced, kind: str) -> dict[str, Any]:
    named = {"resource": item.urn, "resource_name": urn_name(item.urn)}
    return {"kind": kind, "part": item.part, **named, "reason": unpriced(item)}
