"""Charts of amounts."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.core.documents.charts import Bar, Curve, Curves, Mark, Range
from gpucluster.cost.pricing.bounds import Gap, Gaps
from gpucluster.cost.pricing.model import Amounts
from gpucluster.cost.pricing.money import money, ranged


def amount_bar(name: str, amount: Decimal | None, gap: Gap, share: str = "", note: str = "", shown: str = "") -> Bar:
    """A bar up to the lower bound of an amount, lighter up to the upper one. shown: text in place of the amount."""
    known = amount if amount is not None or not gap.missing else Decimal(0)
    low = None if known is None or (gap.open and not known) else gap.low(known)
    high = None if known is None else gap.high(known)
    most = high if isinstance(high, Decimal) and high != low else None
    return Bar(name, low, shown or ranged(known or Decimal(0), gap), share, note, most)


def amounts_range(
    amounts: Amounts, gaps: Gaps, label: str, budget: Mark | None = None, scale: Decimal | None = None
) -> Range:
    """The amounts of a month."""
    return Range(
        Mark("Floor", amounts.floor, ranged(amounts.floor, gaps.floor)),
        Mark("Expected", amounts.expected, ranged(amounts.expected, gaps.expected)),
        Mark("Ceiling", amounts.ceiling, ranged(amounts.ceiling, gaps.ceiling)),
        budget,
        label,
        scale,
    )


def use_line(name: str, idle: Decimal, full: Decimal, meets: Decimal | None = None) -> Curve:
    """A cost from no use to full use. meets: share of use at which it costs the same as the first line."""
    point = None if meets is None or not 0 <= meets <= 1 else (float(meets), float(idle + (full - idle) * meets))
    return Curve(name, ((0, float(idle)), (1, float(full))), point)


def use_chart(lines: list[Curve], text: str) -> Curves:
    """Costs by use."""
    return Curves(lines, ((0, "no hours used"), (1, "all hours used")), ("$0", _top), text)


def _top(most: float) -> str:
    return money(Decimal(most))
