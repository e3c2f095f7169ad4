"""How long a stack exists, when it ends, and the cost of that time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.pricing.money import ranged

_DAY: Final = Decimal(24 * 60 * 60)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """An existing stack. `begun`: its first update. ends: None if no duration is stated.

    so_far, in_all: USD until now and until the end, as text, as if prices and resources had never changed; in_all is
    empty without an end.
    """

    begun: datetime
    ends: datetime | None
    at: datetime
    so_far: str
    in_all: str

    @property
    def over(self) -> bool:
        """Whether its end is in the past."""
        return self.ends is not None and self.ends <= self.at

    @property
    def dates(self) -> str:
        """Begin and end, for users."""
        begun = f"started {shown_time(self.begun)}"
        if self.ends is None:
            return f"{begun}, with no end"
        away = f"{_days(abs(self.ends - self.at)):.1f} days"
        end = f"ended {shown_time(self.ends)}, {away} ago" if self.over else f"ends {shown_time(self.ends)}, in {away}"
        return f"{begun}, {end}"

    @property
    def sentence(self) -> str:
        """Begin, end and costs, for users."""
        if self.ends is None:
            return f"{self.dates}: {self.so_far} so far, if unchanged"
        return f"{self.dates}: {self.so_far} so far; {self.in_all} at the end if unchanged"


def now() -> datetime:
    """To the second, in UTC."""
    return datetime.now(UTC).replace(microsecond=0)


def shown_time(time: datetime) -> str:
    """`2026-12-07 14:07 UTC`."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def trial_of(found: Estimate, at: datetime, *, begun: datetime | None = None) -> Trial | None:
    """Begin, end and cost of a stack; None before its first update.

    at: the time to count to. `begun`: for a stack that does not state it.
    """
    begun = found.facts.begun or begun
    if begun is None:
        return None
    days = found.facts.duration_days
    stood = _days(max(at - begun, timedelta(0)))
    return Trial(
        begun=begun,
        ends=None if days is None else begun + timedelta(days=float(days)),
        at=at,
        so_far=_amount(found, stood),
        in_all="" if days is None else _amount(found, days),
    )


def _days(time: timedelta) -> Decimal:
    return Decimal(int(time.total_seconds())) / _DAY


def _amount(found: Estimate, days: Decimal) -> str:
    return ranged(found.cost_of(days), replace(found.gaps, days=days).trial)
