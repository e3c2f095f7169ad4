"""A cost increase or decrease, as far as prices are known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from gpucluster.cost.pricing.bounds import CLOSED, Gap
from gpucluster.cost.pricing.money import change as signed

__all__ = ["Change", "Direction"]

Direction = Literal["more", "less", "the same", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Change:
    """Expected change in USD per month.

    known: priced cost after, minus priced cost before.
    comparable: the part of it that is not from lost or gained prices.
    before, after: gap of that side's amount from unpriced items that differ from the other side. A lost price is
        neither a saving nor an expense: it changes the result by its bounds.
    """

    known: Decimal
    comparable: Decimal
    before: Gap = CLOSED
    after: Gap = CLOSED

    @classmethod
    def of(cls, changes: Iterable[Change]) -> Change:
        """The sum of changes."""
        found = list(changes)
        return cls(
            sum((each.known for each in found), Decimal(0)),
            sum((each.comparable for each in found), Decimal(0)),
            Gap.sum(each.before for each in found),
            Gap.sum(each.after for each in found),
        )

    @property
    def exact(self) -> Decimal | None:
        """The change; None if unknown."""
        return self.at_least if self.at_least == self.at_most else None

    @property
    def at_least(self) -> Decimal | None:
        """Lower bound of the change; None without one."""
        most = self.before.high(Decimal(0))
        return self.known + self.after.least - most if isinstance(most, Decimal) else None

    @property
    def at_most(self) -> Decimal | None:
        """Upper bound of the change; None without one."""
        most = self.after.high(Decimal(0))
        return self.known + most - self.before.least if isinstance(most, Decimal) else None

    @property
    def direction(self) -> Direction:
        """Whether cost increases or decreases: by a bound if there is no amount, never from lost prices."""
        if self.exact == 0:
            return "the same"
        if self.at_least is not None and self.at_least > 0:
            return "more"
        if self.at_most is not None and self.at_most < 0:
            return "less"
        return "cannot tell"

    @property
    def shown(self) -> str:
        """`+$1.00`, `-$1.00 to +$2.00`, `at least +$1.00`, `at most -$1.00`, or `cannot tell`."""
        low, high = self.at_least, self.at_most
        if low is not None and high is not None:
            return signed(low) if low == high else f"{signed(low)} to {signed(high)}"
        if low is not None and low > 0:
            return f"at least {signed(low)}"
        if high is not None and high < 0:
            return f"at most {signed(high)}"
        return "cannot tell"
