"""The order of amounts, some of them between bounds: given only if every amount within the bounds keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.cost.gap import Gap
from gpucluster.cost.model import cents

_Ends = tuple[Decimal, Decimal | None]
"""The least and the most that an amount may be; None where nothing bounds it."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The sum of the parts that are ranked, for one column.

    gap: what it lacks. rank: 1 + how many are certainly less, so those share one whose order is open. times: how often
    the least of all it is, None where something in one of them has no price.
    """

    title: str
    monthly: Decimal
    gap: Gap
    rank: int
    times: Decimal | None


def rank(sums: Mapping[str, tuple[Decimal, Gap]]) -> list[Ranked]:
    """Every sum with its rank, the least first."""
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
    """Those that are certainly less, equal or more than each of the others; the least first."""
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
    """Whether the order of two is told, or both are the same amount."""
    return _below(one, other) or _below(other, one) or one == other == (one[0], one[0])
