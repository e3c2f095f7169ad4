"""The order of amounts, some of them between bounds: ranks only orders that hold for all amounts within the bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.cost.gap import Gap
from gpucluster.cost.model import cents

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
        for title, mine in ends.items()
        if all(_told(mine, other) for name, other in ends.items() if name != title)
    ]
    return tuple(sorted(certain, key=lambda title: ends[title][0]))


def _ends(amount: Decimal, gap: Gap) -> _Ends:
    high = gap.high(amount)
    return gap.low(amount), high if isinstance(high, Decimal) else None


def _below(one: _Ends, other: _Ends) -> bool:
    return one[1] is not None and one[1] < other[0]


def _told(one: _Ends, other: _Ends) -> bool:
    """Whether the order of two is certain, or both are equal."""
    return _below(one, other) or _below(other, one) or one == other == (one[0], one[0])
