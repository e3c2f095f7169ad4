"""`gpucluster cost compare` as a page: one column per stack, its cost in total and by part, and its cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpucluster.cost.comparison import Column, Comparison
from gpucluster.cost.gap import Gap
from gpucluster.cost.model import Amounts
from gpucluster.cost.money import ranged
from gpucluster.cost.render.html.charts import Bar, bars, figure, marks, span
from gpucluster.cost.render.html.page import safe


def comparison_figures(found: Comparison) -> Iterator[str]:
    """Totals, ranking, every stack from floor to ceiling, every part."""
    yield _totals(found.columns)
    if found.ranking:
        yield _ranking(found)
    yield _whole(found.columns)
    yield _parts(found)


def _totals(columns: Sequence[Column]) -> str:
    listed = "".join(
        f"<div><dt>{safe(column.title)}, a month</dt>"
        f"<dd>{safe(ranged(column.estimate.monthly.expected, column.estimate.gaps.expected))}</dd></div>"
        for column in columns
    )
    return f'<dl class="totals">{listed}</dl>'


def _ranking(found: Comparison) -> str:
    rows = [
        Bar(
            item.title,
            item.monthly,
            ranged(item.monthly, item.gap),
            "" if item.times is None else f"{item.times:f} x",
            f"rank {item.rank}",
        )
        for item in found.ranking
    ]
    words = "Sum of the parts priced in every column: " + ", ".join(
        f"{item.title} {ranged(item.monthly, item.gap)}" for item in found.ranking
    )
    return figure("ranking", "Parts priced in every column, a month", f"{words}.", bars(rows))


def _whole(columns: Sequence[Column]) -> str:
    """Every stack from floor to ceiling, all on one scale."""
    scale = max((_most(column.estimate.monthly) for column in columns), default=Decimal(0))
    drawn: list[str] = []
    said: list[str] = []
    for column in columns:
        monthly = column.estimate.monthly
        floor, expected, ceiling = marks(monthly, column.estimate.gaps)
        words = f"{column.title}: {expected.shown}"
        if monthly.varies:
            words += f", from {floor.shown} to {ceiling.shown}"
        said.append(words)
        drawn.append(f"<h3>{safe(column.title)}</h3>{span(floor, expected, ceiling, None, words, scale=scale)}")
    return figure("totals", "In total: floor, expected, ceiling", f"{'; '.join(said)}.", "\n".join(drawn))


def _most(monthly: Amounts) -> Decimal:
    return monthly.expected if isinstance(monthly.ceiling, str) else monthly.ceiling


def _parts(found: Comparison) -> str:
    blocks: list[str] = []
    most = max((amount for part in found.parts for amount in part.monthly if amount), default=Decimal(1))
    for part in found.parts:
        cells = zip(found.columns, part.monthly, part.gaps, strict=True)
        rows = [_bar(column.title, amount, gap) for column, amount, gap in cells]
        blocks.append(f"<h3>{safe(part.name)}</h3>{bars(rows, most)}")
    dearest = ", ".join(part.name for part in found.parts[:3])
    words = f"The most expensive parts are {dearest}; amounts are next to their bars, all on one scale."
    return figure("parts", "By part, a month", words, "\n".join(blocks))


def _bar(title: str, amount: Decimal | None, gap: Gap) -> Bar:
    if amount is None and not gap.missing:
        return Bar(title, None, "not there")
    return Bar(title, amount, ranged(amount or Decimal(0), gap))
