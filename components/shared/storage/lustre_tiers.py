"""Choice of the cheapest tier of a cloud's parallel file system for a spec."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.components.planning.planning import Prices


@dataclass(frozen=True, kw_only=True)
class Offer:
    """One tier at the capacity it needs. tier: MB/s per TiB; monthly: USD, None if its price is unknown.

    elsewhere: the same at another region's price, used only to rank tiers, never to bill; evaluated on demand, because
    there are many prices to read.
    """

    tier: int
    capacity_gib: int
    monthly: Decimal | None
    elsewhere: Callable[[], Decimal | None] = lambda: None

    def __str__(self) -> str:
        price = "" if self.monthly is None else f" for ${self.monthly:,.2f} a month"
        return f"{self.capacity_gib:,} GiB at {self.tier} MB/s per TiB{price}"


@dataclass(frozen=True, kw_only=True)
class TierPrices:
    """USD per GiB-month of a tier, by its MB/s per TiB: in the region, and the lowest known elsewhere."""

    here: Callable[[int], Decimal | None]
    elsewhere: Callable[[int], Decimal | None] = lambda _: None


def tier_prices(prices: Prices | None, cloud: str, region: str) -> TierPrices:
    """Without prices, no tier has one."""
    if prices is None:
        return TierPrices(here=lambda _: None)
    return TierPrices(
        here=lambda tier: prices.storage_price(cloud, region, tier),
        elsewhere=lambda tier: prices.storage_price_elsewhere(cloud, tier),
    )


def offer(tier: int, capacity_gib: int, price: TierPrices) -> Offer:
    """A tier at a capacity."""
    here = price.here(tier)

    def elsewhere() -> Decimal | None:
        usd = price.elsewhere(tier)
        return None if usd is None else capacity_gib * usd

    return Offer(
        tier=tier,
        capacity_gib=capacity_gib,
        monthly=None if here is None else capacity_gib * here,
        elsewhere=elsewhere,
    )


def cheapest(offers: Sequence[Offer], *, tier: int | None) -> tuple[Offer, str]:
    """The offer to choose, and the reason in one sentence that names the runner-up.

    tier: the one the spec sets, None if the price decides. An offer without a price is not ranked. If none has one,
    prices of other regions rank them; without those too, the one of least capacity is chosen, of equals the slowest: a
    faster TiB is never cheaper.
    """
    offers = [item for item in offers if tier in (None, item.tier)]
    if tier is not None:
        return offers[0], f"{offers[0]}, the tier set by the spec"
    ranked = sorted((item for item in offers if item.monthly is not None), key=lambda item: (item.monthly, item.tier))
    if ranked:
        return ranked[0], _choice(ranked[0], ranked[1:], [item for item in offers if item.monthly is None])
    return _without_a_price(offers)


def _without_a_price(offers: Sequence[Offer]) -> tuple[Offer, str]:
    why = "no tier has a known price here"
    known = [(usd, item.tier, item) for item in offers if (usd := item.elsewhere()) is not None]
    if known:
        *_, chosen = min(known, key=lambda found: found[:2])
        return chosen, f"{chosen}: the cheapest by the prices of other regions, because {why}"
    least = min(offers, key=lambda item: (item.capacity_gib, item.tier))
    return least, f"{least}: the least capacity, because {why}"


def _choice(chosen: Offer, others: Sequence[Offer], unknown: Sequence[Offer]) -> str:
    parts = [f"{chosen} is the cheapest"]
    if others:
        parts.append(f"next is {others[0]}")
    if unknown:
        parts.append(f"not ranked, no price known here: {', '.join(str(item.tier) for item in unknown)} MB/s per TiB")
    return "; ".join(parts)
