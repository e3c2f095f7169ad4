"""The tiers that a cloud sells a parallel file system in: which one is the cheapest for what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

__all__ = ["Offer", "cheapest", "offer"]


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One tier at the capacity it needs. tier: MB/s per TiB; monthly: USD, None where its price is not known."""

    tier: int
    capacity_gib: int
    monthly: Decimal | None

    def __str__(self) -> str:
        price = "" if self.monthly is None else f" for ${self.monthly:,.2f} a month"
        return f"{self.capacity_gib:,} GiB at {self.tier} MB/s per TiB{price}"


def offer(tier: int, capacity_gib: int, price: Decimal | None) -> Offer:
    """A tier at a capacity. price: USD per GiB-month, None where it is not known."""
    return Offer(tier=tier, capacity_gib=capacity_gib, monthly=None if price is None else capacity_gib * price)


def cheapest(offers: Sequence[Offer], *, tier: int | None) -> tuple[Offer, str]:
    """The offer to take, and why, in one sentence that names the runner-up.

    offers: the slowest first. tier: the one the spec sets, None where the price decides. An offer without a price is
    not ranked; where none has one, it is the slowest.
    """
    offers = [item for item in offers if tier in (None, item.tier)]
    ranked = sorted((item for item in offers if item.monthly is not None), key=lambda item: (item.monthly, item.tier))
    chosen = ranked[0] if ranked else offers[0]
    if tier is not None:
        return chosen, f"{chosen}, the tier set by the spec"
    return chosen, _choice(chosen, ranked[1:], [item for item in offers if item.monthly is None])


def _choice(chosen: Offer, others: Sequence[Offer], unknown: Sequence[Offer]) -> str:
    if chosen.monthly is None:
        return f"{chosen}: the slowest tier, because no tier has a known price here"
    parts = [f"{chosen} is the cheapest"]
    if others:
        parts.append(f"next is {others[0]}")
    if unknown:
        parts.append(f"not ranked, no price known here: {', '.join(str(item.tier) for item in unknown)} MB/s per TiB")
    return "; ".join(parts)
