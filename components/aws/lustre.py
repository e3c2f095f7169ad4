"""How large and how fast an FSx for Lustre file system must be for what is asked of it, at the lowest price."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from components.plan import HEADROOM
from components.spec import SharedStorage

__all__ = ["LUSTRE_TIERS", "LustrePlan", "plan_lustre"]

# PERSISTENT_2 SSD: MB/s for each 1,000 GiB -> GiB that one step of capacity has with EFA.
# Source: FSx API reference, PerUnitStorageThroughput and StorageCapacity of CreateFileSystem.
LUSTRE_TIERS = {125: 38_400, 250: 19_200, 500: 9_600, 1000: 4_800}

# Without EFA all tiers are sold as 1,200 or 2,400 GiB and then in steps of 2,400. Source: the same.
_SMALLEST_GIB = 1200
_STEP_GIB = 2400
_GIB_PER_TIB = 1024


@dataclass(frozen=True, kw_only=True)
class LustrePlan:
    """capacity_gib: as provisioned, GiB. usable_gib: what data may fill. tier: MB/s for each 1,000 GiB.

    fabric: clients may mount it over EFA. bucket: s3://... linked to it. choice: why this tier, in one sentence.
    """

    capacity_gib: int
    usable_gib: int
    tier: int
    protect: bool
    fabric: bool = False
    bucket: str | None = None
    choice: str

    @property
    def gb_per_s(self) -> Decimal:
        """Baseline throughput of the whole, GB/s. AWS counts 2,400 GiB as 2.4 TiB."""
        return Decimal(self.capacity_gib) * self.tier / 1_000_000


@dataclass(frozen=True, kw_only=True)
class _Offer:
    """One tier at the capacity it needs; monthly: USD, None where its price is not known."""

    tier: int
    capacity_gib: int
    monthly: Decimal | None

    def __str__(self) -> str:
        price = "" if self.monthly is None else f" for ${self.monthly:,.2f} a month"
        return f"{self.capacity_gib:,} GiB at {self.tier} MB/s per TiB{price}"


def plan_lustre(asked: SharedStorage, price: Callable[[int], Decimal | None]) -> LustrePlan:
    """The cheapest tier and capacity that hold the data with headroom and reach the throughput.

    price: USD per GiB-month of a tier. A tier without a price is not ranked; where none has one, it is the slowest.
    """
    usable_gib = asked.usable_tib * _GIB_PER_TIB
    offers = [
        _offer(tier, max(usable_gib * HEADROOM, asked.gb_per_s * 1_000_000 / tier), asked.fabric, price(tier))
        for tier in LUSTRE_TIERS
        if asked.tier in (None, tier)
    ]
    ranked = sorted((item for item in offers if item.monthly is not None), key=lambda item: (item.monthly, item.tier))
    chosen = ranked[0] if ranked else offers[0]
    return LustrePlan(
        capacity_gib=chosen.capacity_gib,
        usable_gib=math.floor(usable_gib),
        tier=chosen.tier,
        protect=asked.protect,
        fabric=asked.fabric,
        bucket=asked.bucket,
        choice=f"{chosen}, the tier set by the spec"
        if asked.tier
        else _choice(chosen, ranked[1:], [item for item in offers if item.monthly is None]),
    )


def _offer(tier: int, needed_gib: Decimal, fabric: bool, price: Decimal | None) -> _Offer:
    if fabric:
        capacity = math.ceil(needed_gib / LUSTRE_TIERS[tier]) * LUSTRE_TIERS[tier]
    elif needed_gib <= _SMALLEST_GIB:
        capacity = _SMALLEST_GIB
    else:
        capacity = math.ceil(needed_gib / _STEP_GIB) * _STEP_GIB
    return _Offer(tier=tier, capacity_gib=capacity, monthly=None if price is None else capacity * price)


def _choice(chosen: _Offer, others: list[_Offer], unknown: list[_Offer]) -> str:
    if chosen.monthly is None:
        return f"{chosen}: the slowest tier, because no tier has a known price here"
    parts = [f"{chosen} is the cheapest"]
    if others:
        parts.append(f"next is {others[0]}")
    if unknown:
        parts.append(f"not ranked, no price known here: {', '.join(str(item.tier) for item in unknown)} MB/s per TiB")
    return "; ".join(parts)
