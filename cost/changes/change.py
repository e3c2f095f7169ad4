"""How much more something costs than before, as far as prices tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from gpucluster.cost.money import change as signed

__all__ = ["Change", "Direction"]

Direction = Literal["more", "less", "the same", "cannot tell"]


@dataclass(frozen=True, slots=True)
class Change:
    """USD a month more than before, as expected.

    known: what has a price after, less what had one before.
    comparable: the part of it that is no price lost or gained.
    open_before, open_after: whether something without a price on that side differs from what is on the other. It costs
        0 or more, so each of the two leaves one bound: what is lost from sight is neither saved nor spent.
    """

    known: Decimal
    comparable: Decimal
    open_before: bool = False
    open_after: bool = False

    @classmethod
    def of(cls, changes: Iterable[Change]) -> Change:
        """The sum of changes."""
        found = list(changes)
        return cls(
            sum((each.known for each in found), Decimal(0)),
            sum((each.comparable for each in found), Decimal(0)),
            any(each.open_before for each in found),
            any(each.open_after for each in found),
        )

    @property
    def exact(self) -> Decimal | None:
        """The change; None where it is not known."""
        return None if self.open_before or self.open_after else self.known

    @property
    def at_least(self) -> Decimal | None:
        """The change is this or more; None where nothing says how much at the least."""
        return None if self.open_before else self.known

    @property
    def at_most(self) -> Decimal | None:
        """The change is this or less; None where nothing says how much at the most."""
        return None if self.open_after else self.known

    @property
    def direction(self) -> Direction:
        """Whether it costs more or less: by a bound where there is no amount, never by what has lost its price."""
        if self.exact == 0:
            return "the same"
        if self.at_least is not None and self.at_least > 0:
            return "more"
        if self.at_most is not None and self.at_most < 0:
            return "less"
        return "cannot tell"

    @property
    def shown(self) -> str:
        """`+$1.00`, `at least +$1.00`, `at most -$1.00`, or `cannot tell`."""
        if self.direction == "cannot tell":
            return "cannot tell"
        bound = {"more": "at least ", "less": "at most "}.get(self.direction, "") if self.exact is None else ""
        return f"{bound}{signed(self.known)}"
