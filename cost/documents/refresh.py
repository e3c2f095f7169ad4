"""The result of a price book refresh."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, AliasPath, Field

from gpucluster.core.documents.document import Document, Notes, Section, table
from gpucluster.core.documents.model import Model
from gpucluster.cost.documents.json_schema import Amount, Answer
from gpucluster.cost.prices import PriceRow
from gpucluster.cost.prices.live.refresh import Answer as LiveAnswer


@dataclass(frozen=True, kw_only=True)
class Refreshed:
    """not_covered: primary rows without a live list. skipped: clouds not read. written: the book has the new prices."""

    answers: Sequence[LiveAnswer]
    not_covered: Sequence[PriceRow] = ()
    skipped: Sequence[str] = ()
    written: bool = False


class Tier(Model):
    tier: int
    usd_per_unit: Amount
    as_of: str
    source: str


class Outcome(Model):
    provider: str = Field(validation_alias=AliasPath("wanted", "provider"))
    region: str = Field(validation_alias=AliasPath("wanted", "region"))
    sku: str = Field(validation_alias=AliasPath("wanted", "query", "sku"))
    unit: str = Field(validation_alias=AliasPath("wanted", "query", "unit"))
    purchase: str = Field(validation_alias=AliasPath("wanted", "query", "purchase"))
    term: str = Field(validation_alias=AliasPath("wanted", "query", "term"))
    outcome: str = Field(validation_alias="kind")
    doubt: Annotated[str | None, AfterValidator(lambda text: text or None)]
    before: list[Tier] = Field(validation_alias=AliasPath("wanted", "rows"))
    after: list[Tier] = Field(validation_alias="rows")


class NotCovered(Model):
    provider: str
    region: str
    sku: str
    unit: str
    purchase: str


class Refresh(Answer):
    """Each price that was asked for, and the rows of the book without a live list."""

    written: bool
    prices: list[Outcome] = Field(validation_alias="answers")
    not_covered: list[NotCovered]
    skipped: list[str]


def refresh_document(found: Refreshed) -> Document:
    """Each new, changed or doubtful price, and the number of the others."""
    counts = Counter(answer.kind for answer in found.answers)
    rest = f"{counts['same']:,} stay and get a new date, {counts['new']:,} are new, {counts['doubt']:,} are in doubt"
    return Document(
        title=f"{counts['changed']:,} prices change, {rest}",
        sections=lambda: _sections(found, counts["absent"]),
        model=lambda: Refresh.model_validate(found),
    )


def _sections(found: Refreshed, absent: int) -> Iterator[Section]:
    if rows := [row for answer in found.answers if answer.kind in ("changed", "new") for row in _steps(answer)]:
        yield table(["price", "old", "new", "change"], rows)
    if doubts := [f"{answer.wanted}: {answer.doubt}" for answer in found.answers if answer.kind == "doubt"]:
        yield Notes("In doubt, kept as they were", doubts)
    if absent:
        yield f"{absent:,} are not sold there"
    if found.not_covered:
        yield _coverage(found)


def _steps(answer: LiveAnswer) -> Iterator[list[str]]:
    """A row for each tier."""
    before, after = ({row.tier: row for row in rows} for rows in (answer.wanted.rows, answer.rows))
    for tier in sorted(before.keys() | after.keys()):
        old, new = before.get(tier), after.get(tier)
        if old is None or new is None or old.usd_per_unit != new.usd_per_unit:
            name = f"{answer.wanted}{f', tier {tier}' if len(before) > 1 or len(after) > 1 else ''}"
            share = f"{new.usd_per_unit / old.usd_per_unit - 1:+.1%}" if old and new and old.usd_per_unit else ""
            yield [name, _shown(old), _shown(new), share]


def _shown(row: PriceRow | None) -> str:
    """With every decimal."""
    return "none" if row is None else f"${row.usd_per_unit:f} ({row.as_of})"


def _coverage(found: Refreshed) -> str:
    """Number of rows of the book with a live list, and the rows without one."""
    covered = sum(len(answer.wanted.rows) for answer in found.answers)
    counts = Counter(
        row.sku if row.purchase == "on_demand" else f"{row.sku} {row.purchase}" for row in found.not_covered
    )
    left = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in sorted(counts.items()))
    missing = f"Not covered by a live list: {len(found.not_covered):,} rows: {left}"
    return f"Covered: {covered:,} rows of the book. {missing}"
