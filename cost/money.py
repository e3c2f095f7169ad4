"""Amounts in words that never say more than is known."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.cost.model import Unbounded

__all__ = ["at_least", "change", "money", "percent"]


def money(amount: Decimal | Unbounded) -> str:
    """`$1,234.56`, or `unbounded`."""
    return amount if isinstance(amount, str) else f"${amount:,.2f}"


def at_least(amount: Decimal | Unbounded, *, complete: bool, plain: bool = False) -> str:
    """An amount to which something without a price may have to be added, when it is not `complete`.

    `at least $73.00` then, and `unknown` instead of a zero. `plain` leaves out $ and commas, for machines.
    """
    shown = f"{amount:f}" if plain and not isinstance(amount, str) else money(amount)
    if complete or isinstance(amount, str):
        return shown
    return f"at least {shown}" if amount else "unknown"


def change(amount: Decimal | None) -> str:
    """`+$1.00`, `-$1.00`, `$0.00`; `no bound` for None, where one of the two amounts has none."""
    if amount is None:
        return "no bound"
    sign = "+" if amount > 0 else "-" if amount < 0 else ""
    return f"{sign}${abs(amount):,.2f}"


def percent(share: Decimal) -> str:
    """`12.3%`; what would read 0.0% is `under 0.1%`."""
    return f"{share:.1%}" if share >= Decimal("0.001") or not share else "under 0.1%"
