"""The gap in an amount when something has no price: its lower and upper bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from typing import Final, Literal

from gpucluster.cost.model import HOURS_PER_MONTH, UNBOUNDED, Amounts, NotPriced, Unbounded, cents
from gpucluster.record import record

Known = Literal["complete", "bounded", "unknown"]
"""How far an amount is known: wholly, between two amounts, or no further than what has a price."""

_ZERO: Final = Decimal(0)


@record
class Gap:
    """USD that may have to be added to an amount.

    missing: things without a price. open: those of them that nothing bounds. least, most: what the others add;
    `unbounded` where nothing limits how many of them run.
    """

    missing: int = 0
    open: int = 0
    least: Decimal = _ZERO
    most: Decimal | Unbounded = _ZERO

    @classmethod
    def of(cls, items: Iterable[NotPriced], amount: Callable[[Amounts], Decimal | Unbounded] | None = None) -> Gap:
        """What these leave open of an expected amount, or of another of the three: `lambda of: of.ceiling`."""
        found = list(items)
        between = [item.between for item in found if item.between is not None]
        if not between:
            return cls(len(found), len(found))
        sums = Amounts.of(one.least for one in between), Amounts.of(one.most for one in between)
        least, most = sums[0].expected, sums[1].expected
        if amount is not None:
            low, most = map(amount, sums)
            least = sums[0].expected if isinstance(low, str) else low
        return cls(len(found), len(found) - len(between), least, most)

    @classmethod
    def sum(cls, gaps: Iterable[Gap]) -> Gap:
        """That of a sum of amounts."""
        found = list(gaps)
        most = [gap.most for gap in found if not isinstance(gap.most, str)]
        return cls(
            sum(gap.missing for gap in found),
            sum(gap.open for gap in found),
            sum((gap.least for gap in found), _ZERO),
            sum(most, _ZERO) if len(most) == len(found) else UNBOUNDED,
        )

    @property
    def known(self) -> Known:
        """How far an amount with this gap is known."""
        return "unknown" if self.open else "bounded" if self.missing else "complete"

    def low(self, amount: Decimal) -> Decimal:
        """The least that an amount with this gap may be."""
        return amount + self.least

    def high(self, amount: Decimal) -> Decimal | Unbounded | None:
        """The most that it may be; None where something has no bound."""
        if self.open:
            return None
        return self.most if isinstance(self.most, str) else amount + self.most

    def share(self, amount: Decimal) -> Decimal | None:
        """What is known of an amount with this gap, as a share of the most it may be; None where that is not known."""
        high = self.high(amount)
        return amount / high if isinstance(high, Decimal) and high else None

    def times(self, factor: Decimal) -> Gap:
        """That of so many times the amount, to the cent."""
        most = self.most if isinstance(self.most, str) else cents(self.most * factor)
        return Gap(self.missing, self.open, cents(self.least * factor), most)


CLOSED: Final = Gap()
"""That of an amount in which everything has a price."""


@record
class Gaps:
    """The gaps of the totals of a stack.

    days, gpus: how long it is wanted, and its training GPUs, None when no component says so. elastic: parts that do not
    count into the price of a training GPU-hour.
    """

    items: tuple[NotPriced, ...]
    days: Decimal | None
    gpus: Decimal | None
    elastic: frozenset[str]

    @cached_property
    def expected(self) -> Gap:
        """That of the expected month."""
        return Gap.of(self.items)

    @property
    def floor(self) -> Gap:
        """That of the month at the least."""
        return Gap.of(self.items, lambda of: of.floor)

    @property
    def ceiling(self) -> Gap:
        """That of the month at the most."""
        return Gap.of(self.items, lambda of: of.ceiling)

    @property
    def hourly(self) -> Gap:
        """That of the expected hour."""
        return self.expected.times(1 / HOURS_PER_MONTH)

    @property
    def trial(self) -> Gap:
        """That of the stated duration; open where a block that is paid upfront has no price."""
        gap = self.expected.times((self.days or _ZERO) * 24 / HOURS_PER_MONTH)
        prepaid = any(item.between and item.between.most.upfront for item in self.items)
        return replace(gap, open=gap.missing) if prepaid else gap

    @property
    def gpu_hour(self) -> Gap:
        """That of an hour of a training GPU."""
        training = Gap.of(item for item in self.items if item.part not in self.elastic)
        return training.times(1 / HOURS_PER_MONTH / (self.gpus or Decimal(1)))

    def part(self, name: str, amount: Callable[[Amounts], Decimal | Unbounded] | None = None) -> Gap:
        """That of the expected month of a part, or of another of its three amounts."""
        return Gap.of(self._by_part.get(name, ()), amount)

    @cached_property
    def _by_part(self) -> dict[str, list[NotPriced]]:
        found: dict[str, list[NotPriced]] = {}
        for item in self.items:
            found.setdefault(item.part, []).append(item)
        return found
