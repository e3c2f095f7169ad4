"""Chargeback as a table: the groups of one label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from gpucluster.core.documents.document import Document, Row, Section, Table
from gpucluster.cost.documents.text import basis, plain_number
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.estimate.labels import Group, Grouping
from gpucluster.cost.pricing.money import how_known, money, percent, ranged

if TYPE_CHECKING:  # a table needs no model
    from gpucluster.core.documents.model import Model


def groups_document(found: Grouping, estimate: Estimate, title: str = "Cost") -> Document:
    """Each group with its components, most expensive first, its sum and its share; then the total of the report."""

    def model() -> Model:
        from gpucluster.cost.documents.report.report_json import label_sums

        return label_sums(found)

    return Document(
        title=f"{title} by {found.label}",
        basis=basis(estimate),
        sections=lambda: _sections(found, estimate),
        model=model,
    )


def _sections(found: Grouping, estimate: Estimate) -> Iterator[Section]:
    total, gaps = estimate.monthly, estimate.gaps
    days, trial = estimate.facts.duration_days, estimate.trial_total
    sums = [Row(("Total per month", ranged(total.expected, gaps.expected)), strong=True)]
    if total.varies:
        sums.append(Row(("floor", ranged(total.floor, gaps.floor))))
        sums.append(Row(("ceiling", ranged(total.ceiling, gaps.ceiling))))
    if not estimate.complete and total.expected:
        sums.append(Row(("of which priced", money(total.expected))))
    rows = [row for group in found.groups for row in _rows(group, estimate)]
    if days is None or trial is None:
        yield Table(heads=("", "$/month"), rows=rows, sums=sums)
    else:
        sums[0] = replace(sums[0], cells=(*sums[0].cells, ranged(trial, gaps.trial)))
        heads = ("", "$/month", f"this trial, {plain_number(days)} days")
        yield Table(heads=heads, rows=[*map(_of_three, rows)], sums=[*map(_of_three, sums)])
    if not estimate.complete:
        yield f"{how_known(total.expected, gaps.expected)}; see gpucluster cost report"


def _of_three(row: Row) -> Row:
    """The row with a third cell, empty if it has none."""
    return replace(row, cells=(*row.cells, "")[:3])


def _rows(group: Group, estimate: Estimate) -> Iterator[Row]:
    """Rows of one group; none for usage assumed to be zero."""
    from gpucluster.cost.documents.report.report_json import parts_of

    parts, monthly = parts_of(group.lines), group.monthly
    if not parts and group.complete:
        return
    share = f", {percent(monthly.expected / estimate.monthly.expected)} of the total" if monthly.expected else ""
    below: list[str] = []
    if not group.complete and monthly.expected:
        below.append(f"of which priced {money(monthly.expected)}")
    if monthly.varies:
        below.append(f"floor {money(monthly.floor)}, ceiling {ranged(monthly.ceiling, group.ceiling_gap)}")
    if group.committed_monthly:
        below.append(f"of which committed elsewhere {money(group.committed_monthly)}")
    trial = group.trial(estimate)
    cells = (f"{group.value}{share}", ranged(monthly.expected, group.gap), *([trial] if trial else []))
    yield Row(cells, below, strong=True)
    yield from (Row((name, money(amount))) for name, amount in parts)
