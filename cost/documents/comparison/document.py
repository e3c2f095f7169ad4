"""A comparison for users: one column per stack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from gpucluster.cost.comparison import Comparison, PartRow
from gpucluster.cost.documents.comparison.model import comparison_model
from gpucluster.cost.documents.words.basis import basis
from gpucluster.cost.documents.words.unpriced import unpriced_words
from gpucluster.cost.model import cents
from gpucluster.cost.money import how_known, money, ranged
from gpucluster.cost.offers import Ranking
from gpucluster.cost.render.document import Block, Document, Group, Notes, Row, Table, table


def comparison_document(found: Comparison) -> Document:
    """Differences between the specs, clusters, costs, losses and unpriced items."""
    titles = [column.title for column in found.columns]

    def rows() -> Iterator[Mapping[str, str]]:
        for group in _groups(found):
            for row in group.rows:
                amounts = dict(zip(titles, row.cells[1:], strict=True))
                yield {"section": group.heading, "what": row.cells[0].strip(), **amounts}

    def drawings() -> Iterator[str]:
        from gpucluster.cost.documents.comparison.figures import comparison_figures  # only pages need it

        return comparison_figures(found)

    return Document(
        title=f"Cost of {', '.join(titles)}",
        basis=basis(*(column.estimate for column in found.columns), month=True),
        blocks=lambda: _blocks(found, titles),
        model=lambda: comparison_model(found),
        columns=["section", "what", *titles],
        rows=rows,
        drawings=drawings,
    )


def _blocks(found: Comparison, titles: Sequence[str]) -> Iterator[Block]:
    yield Table(heads=["", *titles], groups=[*_groups(found)], even=True)
    for gpu, ranked in found.offers.items():
        yield _offers_heading(gpu)
        sources = {said: f"[{number}]" for number, said in enumerate(dict.fromkeys(one.said for one in ranked), 1)}
        heads = ["GPU by the hour", "$/GPU-hour", "rank", "fabric", "source"]
        yield table(heads, [_offer(one, sources) for one in ranked])
        yield Notes("", [f"{mark} {said}" for said, mark in sources.items()])
    yield from (Notes(heading, texts) for heading, texts in _remarks(found))


def _offer(one: Ranking, sources: Mapping[str, str]) -> list[str]:
    """A stack that is not ranked has the reason in place of the rank."""
    return [one.name, money(cents(one.usd)), str(one.rank) if one.rank else one.why, one.fabric, sources[one.said]]


def _group(heading: str, rows: Iterable[tuple[str, Sequence[str]]]) -> Group:
    return Group(heading, [Row([f"  {label}", *cells]) for label, cells in rows])


def _groups(found: Comparison) -> Iterator[Group]:
    """Differences between the specs, clusters and costs."""
    if found.differences:
        yield _group(
            "The specs differ, so the costs below are not for the same cluster",
            tuple((row.label, row.cells) for row in found.differences),
        )
    yield _group("Specification", tuple((row.label, row.cells) for row in found.equivalence))
    parts = tuple((f"{part.name}{'' if part.ranked else ' *'}", _cells(part)) for part in found.parts)
    yield _group("$/month by part", parts)
    yield _group("In total", tuple((row.label, row.cells) for row in found.totals))
    yield _group("Other figures", tuple((row.label, row.cells) for row in found.figure_rows))
    if found.ranking:
        by_title = {item.title: item for item in found.ranking}
        cells = [by_title[column.title] for column in found.columns]
        yield _group(
            "Parts priced in every column",
            (
                ("$/month", [ranged(item.monthly, item.gap) for item in cells]),
                ("rank", [str(item.rank) for item in cells]),
                ("times the cheapest", ["-" if item.times is None else f"{item.times:f}" for item in cells]),
            ),
        )


def _remarks(found: Comparison) -> Iterator[tuple[str, list[str]]]:
    """(heading, texts): stacks not ranked and why; losses, resources not built and unpriced items, by column."""
    named = [f"{part.name}: {part.why}" for part in found.parts if not part.ranked]
    if named:
        yield "* Not ranked", named
    yield "Totals", [_verdict(found)]
    if found.notes:
        yield "Basis of these figures", list(found.notes)
    for column in found.columns:
        if column.cluster is None:
            yield f"{column.title}: no description of the cluster", ["no component describes a cluster, or several do"]
        elif column.cluster.losses:
            yield f"{column.title}: lost", list(column.cluster.losses)
    for column in found.columns:
        if column.estimate.facts.not_built:
            yield f"{column.title}: not built, not in the total", list(column.estimate.facts.not_built)
    for column in found.columns:
        estimate = column.estimate
        missing = sorted(estimate.not_priced, key=lambda item: item.urn)
        if missing:
            texts = [f"{item.type} {estimate.names.get(item.urn, '')}: {unpriced_words(item)}" for item in missing]
            yield f"{column.title}: not priced, not in the total", texts


def _offers_heading(gpu: str) -> str:
    """What the table of offers includes and excludes."""
    return (
        f"{gpu.upper()} by the GPU-hour, machines only, at list price: no storage, traffic or support; availability is "
        "unknown. Only SXM machines with a fabric are ranked; offers have low confidence"
    )


def _cells(part: PartRow) -> list[str]:
    cells: list[str] = []
    for amount, gap in zip(part.monthly, part.gaps, strict=True):
        cells.append("-" if amount is None and not gap.missing else ranged(amount or Decimal(0), gap))
    return cells


def _verdict(found: Comparison) -> str:
    """What the totals include and exclude."""
    ranked = " < ".join(found.cheapest)
    known = [
        f"{column.title} {said}"
        for column in found.columns
        if (said := how_known(column.estimate.monthly.expected, column.estimate.gaps.expected))
    ]
    said = f"; {', '.join(known)}" if known else ""
    if not found.undecided:
        return f"{'certain' if known else 'complete'}: {ranked}{said}"
    undecided = ", ".join(found.undecided)
    open_ = f"the order of {undecided} is unknown" if ranked else f"cannot tell which is cheapest: {undecided}"
    return f"{f'certain: {ranked}; ' if ranked else ''}{open_}{said}"
