"""The order of amounts, some of them between bounds: ranks only orders that hold for all amounts within the bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from gpucluster.core.program.values import BadValue, amount
from gpucluster.cost.comparison.figures import Ask, Cluster, Figures, figure_notes, figure_rows, figures_of
from gpucluster.cost.comparison.offers import Ranking, offers_of, rank_offers
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.bounds import CLOSED, Gap, Gaps
from gpucluster.cost.pricing.model import Part, Unbounded, cents
from gpucluster.cost.pricing.money import money, ranged

__all__ = ["Column", "Comparison", "PartRow", "Ranked", "Row", "certain_order", "compare", "rank"]


_Ends = tuple[Decimal, Decimal | None]
"""Lower and upper bound of an amount; None without a bound."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The sum of the ranked parts, for one column.

    gap: its gap. rank: 1 + number of certainly lower ones, so columns in uncertain order share a rank. times: ratio
    to the lowest of all, None if an item in one of the two has no price.
    """

    title: str
    monthly: Decimal
    gap: Gap
    rank: int
    times: Decimal | None


def rank(sums: Mapping[str, tuple[Decimal, Gap]]) -> list[Ranked]:
    """Every sum with its rank, lowest first."""
    ends = {title: _ends(*one) for title, one in sums.items()}
    exact = all(not gap.missing for _, gap in sums.values())
    least = min((amount for amount, _ in sums.values()), default=Decimal(0))
    ranked = [
        Ranked(
            title,
            amount,
            gap,
            1 + sum(_below(other, ends[title]) for other in ends.values()),
            (cents(amount / least) if least else Decimal(1)) if exact else None,
        )
        for title, (amount, gap) in sums.items()
    ]
    return sorted(ranked, key=lambda item: (item.rank, item.monthly))


def certain_order(totals: Mapping[str, tuple[Decimal, Gap]]) -> tuple[str, ...]:
    """Amounts that are certainly lower than, equal to or higher than each of the others; lowest first."""
    ends = {title: _ends(*one) for title, one in totals.items()}
    certain = [
        title
        for title, end in ends.items()
        if all(_ordered(end, other) for name, other in ends.items() if name != title)
    ]
    return tuple(sorted(certain, key=lambda title: ends[title][0]))


def _ends(amount: Decimal, gap: Gap) -> _Ends:
    high = gap.high(amount)
    return gap.low(amount), high if isinstance(high, Decimal) else None


def _below(one: _Ends, other: _Ends) -> bool:
    return one[1] is not None and one[1] < other[0]


def _ordered(one: _Ends, other: _Ends) -> bool:
    """Whether the order of two is certain, or both are equal."""
    return _below(one, other) or _below(other, one) or one == other == (one[0], one[0])


NOT_SAID: Final = "not stated"

_LABELS: Final = {
    "machineType": "Machine",
    "accelerator": "GPU",
    "gpus": "Training GPUs",
    "gpuMemoryMib": "Memory of a GPU, GiB",
    "fabric": "GPU fabric",
    "fabricGbps": "GPU fabric of a node, Gb/s",
    "hostGbps": "Host network of a node, Gb/s",
    "coLocation": "Co-location",
    "vcpus": "vCPUs of a node",
    "memoryGib": "RAM of a node, GiB",
    "scratchGb": "/scratch of a node, GB",
    "storageGib": "Shared storage, GiB",
    "storageGbPerS": "Shared storage, GB/s",
}
"""Key of `equivalence` -> label with its unit; other keys are shown unchanged."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Column:
    """One stack: its title, its estimate, and the properties its cluster states, None without any."""

    title: str
    estimate: Estimate
    cluster: Cluster | None


@dataclass(frozen=True, slots=True)
class Row:
    """One property, one cell per column in their order."""

    key: str
    label: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartRow:
    """One part of the clusters: USD per month in each column, None if missing there.

    gaps: gaps left by unpriced items of the part. ranked: whether it is in the ranking, else `why` not.
    """

    name: str
    monthly: tuple[Decimal | None, ...]
    gaps: tuple[Gap, ...]
    why: str = ""

    @property
    def ranked(self) -> bool:
        """Whether every column has it at prices that may be ranked."""
        return not self.why


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """All data of a comparison report.

    differences: spec requests that differ. cheapest: titles of the totals in certain order, lowest first.
    figures: of each column in addition to its cost; figure_rows: the same as rows; notes: their basis.
    offers: by GPU, the machines of the columns ranked among GPUs by the hour of other providers.
    """

    columns: tuple[Column, ...]
    differences: tuple[Row, ...]
    equivalence: tuple[Row, ...]
    parts: tuple[PartRow, ...]
    totals: tuple[Row, ...]
    ranking: tuple[Ranked, ...]
    cheapest: tuple[str, ...]
    figures: tuple[Figures | None, ...]
    figure_rows: tuple[Row, ...]
    notes: tuple[str, ...]
    offers: Mapping[str, tuple[Ranking, ...]]

    @property
    def undecided(self) -> tuple[str, ...]:
        """Titles of the columns whose total has no rank: its bounds leave the order open."""
        return tuple(column.title for column in self.columns if column.title not in self.cheapest)


def compare(columns: Sequence[Column], book: PriceBook | None = None, ask: Ask | None = None) -> Comparison:
    """The columns side by side, in their order. book: default is the book in use."""
    book, ask = book or PriceBook.in_use(), ask or Ask()
    figures = tuple(figures_of(column.estimate, book, ask) for column in columns)
    parts = tuple(_parts(columns))
    totals = {each.title: (each.estimate.monthly.expected, each.estimate.gaps.expected) for each in columns}
    return Comparison(
        columns=tuple(columns),
        differences=tuple(_differences(columns)),
        equivalence=(_regions(columns), *_rows(columns)),
        parts=parts,
        totals=tuple(_totals(columns)),
        ranking=tuple(rank(_sums(columns, [part for part in parts if part.ranked]))),
        cheapest=certain_order(totals),
        figures=figures,
        figure_rows=tuple(Row(key, label, cells) for key, label, cells in figure_rows(figures, ask)),
        notes=tuple(figure_notes([column.title for column in columns], figures, ask)),
        offers=_offers(columns, figures, book),
    )


def _offers(
    columns: Sequence[Column], figures: Sequence[Figures | None], book: PriceBook
) -> dict[str, tuple[Ranking, ...]]:
    """Machines of the columns among offers of the same GPU, for each GPU in a column."""
    found: dict[str, dict[str, tuple[Decimal, str]]] = {}
    for column, one in zip(columns, figures, strict=True):
        if one is not None and one.usd_per_gpu_hour is not None:
            fabric = column.cluster.equivalence.get("fabric", "") if column.cluster else ""
            found.setdefault(one.gpu, {})[f"{column.title} {one.machine}"] = one.usd_per_gpu_hour, fabric
    return {gpu: rank_offers(machines, offers_of(book, gpu)) for gpu, machines in found.items()}


def _differences(columns: Sequence[Column]) -> Iterator[Row]:
    """Spec requests that differ between the columns that state them."""
    asked: list[Mapping[str, str]] = [{} if column.cluster is None else column.cluster.asked for column in columns]
    tables = [cells for cells in asked if cells]
    for key in dict.fromkeys(key for cells in tables for key in cells):
        if len({cells.get(key) for cells in tables}) > 1:
            yield Row(key, key, tuple(cells.get(key, NOT_SAID) for cells in asked))


def _equivalence(column: Column) -> dict[str, str]:
    found = {} if column.cluster is None else dict(column.cluster.equivalence)
    memory = found.get("gpuMemoryMib", "")
    if memory.isdecimal():
        found["gpuMemoryMib"] = str(Decimal(memory) / 1024)
    return {key: _shown(value) for key, value in found.items()}


def _shown(value: str) -> str:
    """A number with commas and at most two decimals; a text unchanged."""
    try:
        number = amount(value, "")
    except BadValue:
        return value
    return f"{cents(number).normalize():,f}"


def _rows(columns: Sequence[Column]) -> list[Row]:
    """The properties of the clusters: a row for each key in any of them, known ones in their order."""
    found = [_equivalence(column) for column in columns]
    keys = dict.fromkeys(key for cells in found for key in cells)
    ordered = [*(key for key in _LABELS if key in keys), *(key for key in keys if key not in _LABELS)]
    return [Row(key, _LABELS.get(key, key), tuple(cells.get(key, NOT_SAID) for cells in found)) for key in ordered]


def _regions(columns: Sequence[Column]) -> Row:
    """Regions of each column's machines."""

    def places(estimate: Estimate) -> str:
        found = Counter(line.region for line in estimate.lines if line.unit == "instance-hour")
        return ", ".join(sorted(found)) or NOT_SAID

    return Row("region", "Region", tuple(places(column.estimate) for column in columns))


def _parts(columns: Sequence[Column]) -> list[PartRow]:
    """A row for each part, most expensive first; parts match by name without their cluster's name."""
    by_name = [{_short(part.name, column): part for part in column.estimate.parts} for column in columns]
    gaps = [
        {_short(name, column): column.estimate.gaps.part(name) for name in column.estimate.unpriced_parts}
        for column in columns
    ]
    names = {name for parts in by_name for name in parts} | {name for found in gaps for name in found}
    rows: list[PartRow] = []
    for name in names:
        found = [parts.get(name) for parts in by_name]
        lacks = tuple(missing.get(name, CLOSED) for missing in gaps)
        titles = [column.title for column in columns]
        monthly = tuple(None if part is None else part.monthly.expected for part in found)
        if any(gap.missing for gap in lacks) or any(monthly):  # usage assumed to be zero makes no part
            rows.append(PartRow(name, monthly, lacks, _why(titles, found, lacks)))
    return sorted(rows, key=lambda row: (-max(amount or Decimal(0) for amount in row.monthly), row.name))


def _short(name: str, column: Column) -> str:
    return name if column.cluster is None else name.removeprefix(f"{column.cluster.name}-")


def _sums(columns: Sequence[Column], parts: Sequence[PartRow]) -> dict[str, tuple[Decimal, Gap]]:
    """The sum of these parts in each column, and its gap; none without parts."""
    return {
        column.title: (
            sum((part.monthly[index] or Decimal(0) for part in parts), Decimal(0)),
            Gap.sum(part.gaps[index] for part in parts),
        )
        for index, column in enumerate(columns if parts else ())
    }


def _why(titles: Sequence[str], found: Sequence[Part | None], gaps: Sequence[Gap]) -> str:
    """Why a part cannot be ranked, empty if it can."""
    reasons: list[str] = []
    of = list(zip(titles, found, gaps, strict=True))
    if unbounded := [title for title, _, gap in of if gap.open]:
        reasons.append(f"not fully priced in {', '.join(unbounded)}")
    if absent := [title for title, part, gap in of if part is None and not gap.missing]:
        reasons.append(f"absent in {', '.join(absent)}")
    machines = {title: _machines(part) for title, part, _ in of if part is not None}
    if len(set(machines.values())) > 1 and not all(machines.values()):
        reasons.append(f"machines in {', '.join(title for title, number in machines.items() if number)} only")
    if any(not line.rankable for part in found if part is not None for line in part.lines):
        reasons.append("approximate prices")
    return "; ".join(reasons)


def _machines(part: Part) -> Decimal:
    """Machine-hours paid by it or elsewhere: a part with them is not equivalent to one without."""
    return sum((line.quantity for line in part.lines if line.unit == "instance-hour"), Decimal(0))


def _totals(columns: Sequence[Column]) -> list[Row]:
    """Totals of the whole stacks."""

    def row(key: str, label: str, of: Callable[[Estimate], str]) -> Row:
        return Row(key, label, tuple(of(column.estimate) for column in columns))

    def shown(
        pick: Callable[[Estimate], Decimal | Unbounded | None], gap: Callable[[Gaps], Gap]
    ) -> Callable[[Estimate], str]:
        def cell(found: Estimate) -> str:
            amount = pick(found)
            return NOT_SAID if amount is None else ranged(amount, gap(found.gaps))

        return cell

    rows = [row("monthly", "$/month", shown(lambda found: found.monthly.expected, lambda gaps: gaps.expected))]
    if any(column.estimate.monthly.varies for column in columns):
        rows.append(row("monthly_floor", "  floor", shown(lambda found: found.monthly.floor, lambda gaps: gaps.floor)))
        rows.append(
            row("monthly_ceiling", "  ceiling", shown(lambda found: found.monthly.ceiling, lambda gaps: gaps.ceiling))
        )
    if any(column.estimate.committed_monthly for column in columns):
        label = "  of which committed elsewhere"
        rows.append(row("committed_elsewhere", label, lambda found: money(found.committed_monthly)))
    rows.append(row("hourly", "$/hour", shown(lambda found: found.hourly.expected, lambda gaps: gaps.hourly)))
    rows.append(row("per_training_gpu_hour", "$/training-GPU-hour", _per_gpu))
    if any(column.estimate.facts.duration_days is not None for column in columns):
        rows.append(row("trial", "this trial", shown(lambda found: found.trial_total, lambda gaps: gaps.trial)))
    return rows


def _per_gpu(found: Estimate) -> str:
    amount = found.per_training_gpu_hour
    if amount is None:
        return NOT_SAID
    return "unknown" if found.training_unknown else ranged(amount, found.gaps.gpu_hour)
