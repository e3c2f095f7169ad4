"""Formats amounts without overstating what is known."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal

from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import DAY, Unbounded, cents


def money(amount: Decimal | Unbounded) -> str:
    """`$1,234.56`, or `unbounded`."""
    return amount if isinstance(amount, str) else f"${amount:,.2f}"


def unit_price(price: Decimal) -> str:
    """The unit price as published, with at least two decimals."""
    plain = f"{price.normalize():f}"
    decimals = len(plain.partition(".")[2])
    return f"${price:,.{max(2, decimals)}f}"


def at_least(amount: Decimal | Unbounded, *, complete: bool, plain: bool = False) -> str:
    """An amount that unpriced items may increase if it is not `complete`.

    Incomplete amounts read `at least $73.00`, or `unknown` instead of zero. `plain` omits $ and commas, for machines.
    """
    shown = f"{amount:f}" if plain and not isinstance(amount, str) else money(amount)
    if complete or isinstance(amount, str):
        return shown
    return f"at least {shown}" if amount else "unknown"


def ranged(amount: Decimal | Unbounded, gap: Gap, *, plain: bool = False) -> str:
    """An amount with its gap: `$73.00`, `$73.00 to $75.10` if the gap is bounded, else `at least $73.00`.

    The two ends are the amount with the lower and the upper bound of the unpriced items; `unknown` instead of zero.
    `plain` omits $ and commas, for machines.
    """
    if isinstance(amount, str):
        return amount
    low, high = gap.low(amount), gap.high(amount)
    if high is None:
        return at_least(low, complete=False, plain=plain)
    if isinstance(high, str):
        return high
    least, most = (f"{end:f}" if plain else money(end) for end in (low, high))
    return least if least == most else f"{least} to {most}"


def ranged_daily(monthly: Decimal, gap: Gap) -> str:
    """A monthly amount per day: `$125.76 a day`. gap: the gap of the month."""
    return f"{ranged(cents(monthly * DAY), gap.times(DAY))} a day"


def how_known(amount: Decimal | Unbounded, gap: Gap) -> str:
    """How well an amount is known: the number of items without a price, and the known share of the dollars.

    Empty if everything has a price.
    """
    if gap.known == "complete":
        return ""
    own = f"{gap.missing:,} without a price of {'its' if gap.missing == 1 else 'their'} own"
    if gap.known == "unknown":
        bounded = f", {gap.missing - gap.open:,} of them bounded" if gap.missing > gap.open else ""
        return f"unknown: {own}{bounded}"
    share = None if isinstance(amount, str) else gap.share(amount)
    return f"bounded: {own}{'' if share is None else f', {percent_down(share)} of the dollars known'}"


def percent_down(share: Decimal) -> str:
    """`99.8%`: never rounded up, so that only a complete share reads 100.0%."""
    return f"{share.quantize(Decimal('0.001'), rounding=ROUND_FLOOR):.1%}"


def change(amount: Decimal | None) -> str:
    """`+$1.00`, `-$1.00`, `$0.00`; `no bound` for None, if one of the two amounts has no bound."""
    if amount is None:
        return "no bound"
    sign = "+" if amount > 0 else "-" if amount < 0 else ""
    return f"{sign}${abs(amount):,.2f}"


def percent_of(share: Decimal) -> str:
    """A share as it was set: `8%`, `7.25%`."""
    return f"{(share * 100).normalize():f}%"


def percent(share: Decimal) -> str:
    """`12.3%`; shares that would round to 0.0% read `under 0.1%`."""
    return f"{share:.1%}" if share >= Decimal("0.001") or not share else "under 0.1%"
