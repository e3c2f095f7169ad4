"""`gpucluster cost compare`: one column per stack, with differences between the specs, clusters and costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from gpucluster.core.documents.charts import Bars, Figure, Panel, Range, figure
from gpucluster.core.documents.document import Document, Notes, Row, Section, Table, table
from gpucluster.cost.comparison import Column, Comparison, PartRow
from gpucluster.cost.comparison.offers import Ranking
from gpucluster.cost.documents.charts import amount_bar, amounts_range
from gpucluster.cost.documents.text import basis, unpriced_items
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import cents
from gpucluster.cost.pricing.money import how_known, money, ranged


def comparison_document(found: Comparison) -> Document:
    """Differences between the specs, clusters, costs, losses and unpriced items."""
    titles = [column.title for column in found.columns]

    def model() -> Any:
        from gpucluster.cost.documents.comparison.comparison_json import comparison_json

        return comparison_json(found)

    return Document(
        title=f"Cost of {', '.join(titles)}",
        basis=basis(*(column.estimate for column in found.columns), month=True),
        sections=lambda: _sections(found, titles),
        model=model,
        rows=lambda: (["section", "what", *titles], _rows(found, titles)),
        totals=lambda: [Row((f"{column.title}, a month", _total(column))) for column in found.columns],
        figures=lambda: _figures(found),
    )


def _total(column: Column) -> str:
    return ranged(column.estimate.monthly.expected, column.estimate.gaps.expected)


def _rows(found: Comparison, titles: Sequence[str]) -> Iterator[Mapping[str, str]]:
    section = ""
    for row in _table_rows(found):
        if row.strong:
            section = row.cells[0]
        else:
            yield {"section": section, "what": row.cells[0].strip(), **dict(zip(titles, row.cells[1:], strict=True))}


def _sections(found: Comparison, titles: Sequence[str]) -> Iterator[Section]:
    yield Table(heads=["", *titles], rows=[*_table_rows(found)], even=True)
    for gpu, ranked in found.offers.items():
        yield _offers_heading(gpu)
        sources = {one.source: "" for one in ranked}
        sources = {source: f"[{number}]" for number, source in enumerate(sources, 1)}
        heads = ["GPU by the hour", "$/GPU-hour", "rank", "fabric", "source"]
        yield table(heads, [_offer(one, sources) for one in ranked])
        yield Notes("", [*sources], [*sources.values()])
    yield from (Notes(heading, texts) for heading, texts in _remarks(found))


def _offer(one: Ranking, sources: Mapping[str, str]) -> list[str]:
    """A stack that is not ranked has the reason in place of the rank."""
    return [one.name, money(cents(one.usd)), str(one.rank) if one.rank else one.why, one.fabric, sources[one.source]]


def _table_rows(found: Comparison) -> Iterator[Row]:
    """Differences between the specs, clusters and costs, under headings."""
    heading = "The specs differ, so the costs below are not for the same cluster"
    if found.differences:
        yield from _group(heading, found, ((row.label, row.cells) for row in found.differences))
    yield from _group("Specification", found, ((row.label, row.cells) for row in found.equivalence))
    parts = ((f"{part.name}{'' if part.ranked else ' *'}", _cells(part)) for part in found.parts)
    yield from _group("$/month by part", found, parts)
    yield from _group("In total", found, ((row.label, row.cells) for row in found.totals))
    yield from _group("Other figures", found, ((row.label, row.cells) for row in found.figure_rows))
    if found.ranking:
        by_title = {item.title: item for item in found.ranking}
        cells = [by_title[column.title] for column in found.columns]
        ranking = [
            ("$/month", [ranged(item.monthly, item.gap) for item in cells]),
            ("rank", [str(item.rank) for item in cells]),
        ]
        if any(item.times is not None for item in cells):
            times = ["none" if item.times is None else f"{item.times:f}" for item in cells]
            ranking.append(("times the cheapest", times))
        yield from _group("Parts priced in every column", found, ranking)


def _group(heading: str, found: Comparison, rows: Iterable[tuple[str, Sequence[str]]]) -> Iterator[Row]:
    yield Row((heading, *("" for _ in found.columns)), strong=True)
    yield from (Row((label, *cells)) for label, cells in rows)


def _remarks(found: Comparison) -> Iterator[tuple[str, Sequence[str]]]:
    """(heading, texts): stacks not ranked and why; losses, resources not built and unpriced items, by column."""
    if named := [f"{part.name}: {part.why}" for part in found.parts if not part.ranked]:
        yield "* Not ranked", named
    yield "Totals", [_verdict(found)]
    if found.notes:
        yield "Basis of these figures", found.notes
    for column in found.columns:
        if column.cluster is None:
            yield f"{column.title}: no description of the cluster", ["no component describes a cluster, or several do"]
        elif column.cluster.losses:
            yield f"{column.title}: lost", column.cluster.losses
    for column in found.columns:
        if column.estimate.facts.not_built:
            yield f"{column.title}: not built, not in the total", column.estimate.facts.not_built
    for column in found.columns:
        if texts := unpriced_items(column.estimate):
            yield f"{column.title}: not priced, not in the total", texts


def _offers_heading(gpu: str) -> str:
    """What the table of offers includes and excludes."""
    return (
        f"{gpu.upper()} by the GPU-hour, machines only, at list price: no storage, traffic or support; availability is "
        "unknown. Only SXM machines with a fabric are ranked; offers have low confidence"
    )


def _cells(part: PartRow) -> list[str]:
    return [_amount(amount, gap, "-") for amount, gap in zip(part.monthly, part.gaps, strict=True)]


def _amount(amount: Decimal | None, gap: Gap, absent: str) -> str:
    return absent if amount is None and not gap.missing else ranged(amount or Decimal(0), gap)


def _verdict(found: Comparison) -> str:
    """What the totals include and exclude."""
    ranked = " < ".join(found.cheapest)
    known = [
        f"{column.title} {text}"
        for column in found.columns
        if (text := how_known(column.estimate.monthly.expected, column.estimate.gaps.expected))
    ]
    rest = f"; {', '.join(known)}" if known else ""
    if not found.undecided:
        return f"{'certain' if known else 'complete'}: {ranked}{rest}"
    undecided = ", ".join(found.undecided)
    open_ = f"the order of {undecided} is unknown" if ranked else f"cannot tell which is cheapest: {undecided}"
    return f"{f'certain: {ranked}; ' if ranked else ''}{open_}{rest}"


def _figures(found: Comparison) -> Iterator[Figure]:
    """Ranking, every stack from floor to ceiling, every part."""
    if found.ranking:
        yield _ranking(found)
    yield _whole(found)
    yield _parts(found)


def _ranking(found: Comparison) -> Figure:
    rows = [
        amount_bar(
            item.title, item.monthly, item.gap, "" if item.times is None else f"{item.times:f} x", f"rank {item.rank}"
        )
        for item in found.ranking
    ]
    text = f"Sum of the parts priced in every column: {', '.join(f'{row.name} {row.amount}' for row in rows)}."
    return figure("ranking", "Parts priced in every column, a month", text, Bars(rows))


def _whole(found: Comparison) -> Figure:
    """Every stack from floor to ceiling, all on one scale."""
    amounts = [column.estimate.monthly for column in found.columns]
    scale = max(each.expected if isinstance(each.ceiling, str) else each.ceiling for each in amounts)
    panels: list[Panel] = []
    for column in found.columns:
        monthly, gaps = column.estimate.monthly, column.estimate.gaps
        text = f"{column.title}: {ranged(monthly.expected, gaps.expected)}"
        if monthly.varies:
            text += f", from {ranged(monthly.floor, gaps.floor)} to {ranged(monthly.ceiling, gaps.ceiling)}"
        panels.append(Panel(amounts_range(monthly, gaps, text, scale=scale), column.title))
    texts = "; ".join(panel.chart.label for panel in panels if isinstance(panel.chart, Range))
    return Figure("totals", "In total: floor, expected, ceiling", f"{texts}.", panels)


def _parts(found: Comparison) -> Figure:
    bars = {
        part.name: Bars(
            [
                amount_bar(column.title, amount, gap, shown="" if amount is not None or gap.missing else "none")
                for column, amount, gap in zip(found.columns, part.monthly, part.gaps, strict=True)
            ]
        )
        for part in found.parts
    }
    most = max((each.most for each in bars.values()), default=Decimal(1))
    panels = [Panel(replace(each, scale=most), name) for name, each in bars.items()]
    dearest = ", ".join(part.name for part in found.parts[:3])
    text = f"The most expensive parts are {dearest}; amounts are next to their bars, all on one scale."
    return Figure("parts", "By part, a month", text, panels)
