"""A comparison as sections of rows and lists of remarks: what the table and Markdown have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gpucluster.cost.comparison import Comparison, PartRow
from gpucluster.cost.model import cents
from gpucluster.cost.money import money
from gpucluster.cost.offers import Ranking

__all__ = ["OFFER_HEADS", "Section", "offer_rows", "offers_heading", "remarks", "sections"]

OFFER_HEADS: Final = ("GPU by the hour", "$/GPU-hour", "rank", "fabric", "price from")


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its rows: a label and a cell a column."""

    heading: str
    rows: tuple[tuple[str, Sequence[str]], ...]


def sections(found: Comparison) -> Iterator[Section]:
    """What the specs asked for differently, what each cluster is, and what it costs."""
    if found.differences:
        yield Section(
            "The specs differ, so the money below is not for the same thing",
            tuple((row.label, row.cells) for row in found.differences),
        )
    yield Section("What it is", tuple((row.label, row.cells) for row in found.equivalence))
    parts = tuple((f"{part.name}{'' if part.ranked else ' *'}", _cells(part, found)) for part in found.parts)
    yield Section("$/month by part", parts)
    yield Section("In total", tuple((row.label, row.cells) for row in found.totals))
    yield Section("Beside the money", tuple((row.label, row.cells) for row in found.figure_rows))
    if found.ranking:
        by_title = {item.title: item for item in found.ranking}
        cells = [by_title[column.title] for column in found.columns]
        yield Section(
            "Parts priced in every column",
            (
                ("$/month", [money(item.monthly) for item in cells]),
                ("rank", [str(item.rank) for item in cells]),
                ("times the least", [f"{item.times:f}" for item in cells]),
            ),
        )


def remarks(found: Comparison) -> Iterator[tuple[str, list[str]]]:
    """(heading, texts): what is not ranked and why, what is lost, not built or has no price, a column at a time."""
    named = [f"{part.name}: {part.why}" for part in found.parts if not part.ranked]
    if named:
        yield "* Not ranked", named
    yield "Totals", [_verdict(found)]
    if found.notes:
        yield "What these figures rest on", list(found.notes)
    for column in found.columns:
        if column.cluster is None:
            yield f"{column.title}: nothing says what it is", ["no component, or several, carry the facts of a cluster"]
        elif column.cluster.losses:
            yield f"{column.title}: lost", list(column.cluster.losses)
    for column in found.columns:
        if column.estimate.facts.not_built:
            yield f"{column.title}: not built, not in the total", list(column.estimate.facts.not_built)
    for column in found.columns:
        estimate = column.estimate
        missing = sorted(estimate.not_priced, key=lambda item: item.urn)
        if missing:
            texts = [f"{item.type} {estimate.names.get(item.urn, '')}: {item.reason}" for item in missing]
            yield f"{column.title}: not priced, not in the total", texts


def offers_heading(gpu: str) -> str:
    """What the table of offers says, and what it does not."""
    return (
        f"{gpu.upper()} by the GPU-hour, machines alone, at list price: no storage, traffic or support, and no word on "
        "how many can be had. Ranked are machines in SXM form with a fabric; offers are of low confidence"
    )


def offer_rows(ranked: Sequence[Ranking]) -> list[list[str]]:
    """A row for each machine and offer, those that are not ranked with the reason in place of the rank."""
    return [
        [item.name, money(cents(item.usd)), str(item.rank) if item.rank else item.why, item.fabric, item.said]
        for item in ranked
    ]


def _cells(part: PartRow, found: Comparison) -> list[str]:
    cells: list[str] = []
    for column, amount in zip(found.columns, part.monthly, strict=True):
        if column.title in part.unpriced:
            cells.append(f"at least {money(amount)}" if amount else "not priced")
        else:
            cells.append("-" if amount is None else money(amount))
    return cells


def _verdict(found: Comparison) -> str:
    """What the totals say, and what they cannot."""
    ranked = " < ".join(found.cheapest)
    undecided = ", ".join(found.undecided)
    if not undecided:
        return f"complete: {ranked}"
    if not ranked:
        return f'none is complete: {undecided} read "at least", so which is the least cannot be told'
    return f'complete: {ranked}; {undecided} reads "at least" and may be more, so it is placed nowhere'
