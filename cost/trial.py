"""How long a stack exists, when it ends, and what that costs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

from gpucluster.cost.estimate import Estimate
from gpucluster.cost.money import ranged
from gpucluster.record import record

_DAY: Final = Decimal(24 * 60 * 60)


@record(kw_only=True)
class Trial:
    """A stack that stands. begun: when it was first built. ends: None where nothing says how long it is wanted.

    so_far, in_all: USD until now and until the end, in words, as if it had always been as it is priced; in_all is empty
    without an end.
    """

    begun: datetime
    ends: datetime | None
    at: datetime
    so_far: str
    in_all: str

    @property
    def over(self) -> bool:
        """Whether its end has passed."""
        return self.ends is not None and self.ends <= self.at

    @property
    def sentence(self) -> str:
        """Begin, end and costs, for people."""
        begun, alike = f"begun {shown_time(self.begun)}", "assuming it never changed"
        if self.ends is None:
            return f"{begun}, with no end: {self.so_far} so far, {alike}"
        away = f"{_days(abs(self.ends - self.at)):.1f} days"
        end = f"ended {shown_time(self.ends)}, {away} ago" if self.over else f"ends {shown_time(self.ends)}, in {away}"
        return f"{begun}, {end}: {self.so_far} so far, {self.in_all} by its end, {alike}"


def now() -> datetime:
    """To the second, in UTC."""
    return datetime.now(UTC).replace(microsecond=0)


def shown_time(time: datetime) -> str:
    """`2026-12-07 14:07 UTC`."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def trial_of(found: Estimate, at: datetime, *, begun: datetime | None = None) -> Trial | None:
    """What is known of a stack's time; None before its first update.

    at: the time to count to. begun: for a stack that does not say so itself.
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
