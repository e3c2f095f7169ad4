"""The gap in an amount caused by unpriced items: its lower and upper bound."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Final, Literal

from gpucluster.cost.pricing.model import HOURS_PER_MONTH, UNBOUNDED, Amounts, NotPriced, Unbounded, cents

Known = Literal["complete", "bounded", "unknown"]
"""How well an amount is known: exactly, within bounds, or only its priced part."""

_ZERO: Final = Decimal(0)


@dataclass(frozen=True)
class Gap:
    """USD that may have to be added to an amount.

    missing: unpriced items. open: those of them without a bound. least, most: bounds of the others; `unbounded` if
    nothing limits how many of them run.
    """

    missing: int = 0
    open: int = 0
    least: Decimal = _ZERO
    most: Decimal | Unbounded = _ZERO

    @classmethod
    def of(cls, items: Iterable[NotPriced], amount: Callable[[Amounts], Decimal | Unbounded] | None = None) -> Gap:
        """The gap that these items leave in the expected amount, or in another one: `lambda of: of.ceiling`."""
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
        """The gap of a sum of amounts."""
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
        """How well an amount with this gap is known."""
        return "unknown" if self.open else "bounded" if self.missing else "complete"

    def low(self, amount: Decimal) -> Decimal:
        """Lower bound of an amount with this gap."""
        return amount + self.least

    def high(self, amount: Decimal) -> Decimal | Unbounded | None:
        """Upper bound of an amount with this gap; None without a bound."""
        if self.open:
            return None
        return self.most if isinstance(self.most, str) else amount + self.most

    def share(self, amount: Decimal) -> Decimal | None:
        """Known part of an amount with this gap, as a share of its upper bound; None if that is unknown."""
        high = self.high(amount)
        return amount / high if isinstance(high, Decimal) and high else None

    def times(self, factor: Decimal) -> Gap:
        """The gap of a multiple of the amount, to the cent."""
        most = self.most if isinstance(self.most, str) else cents(self.most * factor)
        return Gap(self.missing, self.open, cents(self.least * factor), most)


CLOSED: Final = Gap()
"""The gap of a fully priced amount."""


@dataclass(frozen=True)
class Gaps:
    """The gaps of the totals of a stack.

    days, gpus: duration and training GPUs of the stack, None if no component states them. elastic: parts excluded from
    the price of a training GPU-hour. hours: running hours of training machines per month.
    """

    items: tuple[NotPriced, ...]
    days: Decimal | None
    gpus: Decimal | None
    elastic: frozenset[str]
    hours: Decimal = HOURS_PER_MONTH

    @cached_property
    def expected(self) -> Gap:
        """Gap of the expected month."""
        return Gap.of(self.items)

    @property
    def floor(self) -> Gap:
        """Gap of the monthly floor."""
        return Gap.of(self.items, lambda of: of.floor)

    @property
    def ceiling(self) -> Gap:
        """Gap of the monthly ceiling."""
        return Gap.of(self.items, lambda of: of.ceiling)

    @property
    def hourly(self) -> Gap:
        """Gap of the expected hour."""
        return self.expected.times(1 / HOURS_PER_MONTH)

    @property
    def trial(self) -> Gap:
        """Gap of the stated duration; open if an upfront capacity block has no price."""
        gap = self.expected.times((self.days or _ZERO) * 24 / HOURS_PER_MONTH)
        prepaid = any(item.between and item.between.most.upfront for item in self.items)
        return replace(gap, open=gap.missing) if prepaid else gap

    @property
    def gpu_hour(self) -> Gap:
        """Gap of an hour of a training GPU."""
        training = Gap.of(item for item in self.items if item.part not in self.elastic)
        hours = self.hours * (self.gpus or Decimal(1))
        return training.times(1 / hours) if hours else training

    def part(self, name: str, amount: Callable[[Amounts], Decimal | Unbounded] | None = None) -> Gap:
        """Gap of a part's expected month, or of another of its three amounts."""
        return Gap.of(self._by_part.get(name, ()), amount)

    @cached_property
    def _by_part(self) -> dict[str, list[NotPriced]]:
        found: dict[str, list[NotPriced]] = {}
        for item in self.items:
            found.setdefault(item.part, []).append(item)
        return found
