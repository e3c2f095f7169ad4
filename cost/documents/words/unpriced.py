"""Unpriced items with their bounds, in wording and fields shared by all formats."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from gpucluster.cost.documents.words.plain import amounts_json, text_of
from gpucluster.cost.gap import Gap
from gpucluster.cost.model import Amounts, NotPriced, Unbounded
from gpucluster.cost.money import money, unit_price

if TYPE_CHECKING:  # previews do not need the JSON types
    from gpucluster.cost.documents.words.shape import BoundShape, KnownShape


def unpriced_words(item: NotPriced) -> str:
    """Why it has no price, and its bounds."""
    return f"{item.reason}; {bound_words(item)}"


def bound_words(item: NotPriced) -> str:
    """`bound: $16.43 to $65.70 a month, NAT gateway, 730 h at $0.0225 to $0.09 per hour, by 1 other region ...`."""
    if item.between is None:
        return "no bound"
    least, most = item.between.least, item.between.most
    amount = f"{money(least.monthly)} to {money(most.monthly)} a month" if most.monthly else "$0.00 at this usage"
    quantity = least.basis or f"{least.quantity.normalize():,f} {least.unit}"
    each = f"{unit_price(least.unit_price)} to {unit_price(most.unit_price)} per {least.unit}"
    return f"bound: {amount}, {least.name}, {quantity} at {each}, {item.between.rule}"


def bound_json(item: NotPriced) -> BoundShape | None:
    """The bound of an unpriced item: not a price, and in no sum; null without a bound."""
    if item.between is None:
        return None
    least, most = item.between.least, item.between.most
    return {
        "name": least.name,
        "quantity": text_of(least.quantity),
        "unit": least.unit,
        "basis": least.basis,
        "unit_price_least": text_of(least.unit_price),
        "unit_price_most": text_of(most.unit_price),
        "monthly_least": amounts_json(Amounts.of([least])),
        "monthly_most": amounts_json(Amounts.of([most])),
        "rule": item.between.rule,
    }


def known_json(amount: Decimal | Unbounded, gap: Gap) -> KnownShape:
    """How well an amount is known: `least` and `most` include the bounds of its unpriced items.

    `most` is null if something has no bound; `dollars_known` is a share of `most`, null if that is unknown.
    """
    known = None if isinstance(amount, str) else amount
    high, share = (None, None) if known is None else (gap.high(known), gap.share(known))
    return {
        "state": gap.known,
        "without_price": gap.missing,
        "without_bound": gap.open,
        "least": "unbounded" if known is None else text_of(gap.low(known)),
        "most": None if high is None else text_of(high),
        "dollars_known": None if share is None else f"{share:.6f}",
    }
