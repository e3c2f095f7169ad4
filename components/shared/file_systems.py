"""The file systems of a cluster as plain values: an existing one, home folders, the cheapest tier of a parallel one.
Imports no Pulumi.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from gpucluster.components.planning.planning import GIB_PER_TIB, HEADROOM, Planning, Prices
from gpucluster.components.shared.buckets import BucketPlan
from gpucluster.components.spec.existing import ExistingFiles
from gpucluster.components.spec.storage import HomeStorage, SharedStorage


@dataclass(frozen=True, kw_only=True)
class ExistingStoragePlan:
    """usable_gib: GiB of it that data may fill, as the spec states."""

    files: ExistingFiles
    usable_gib: int


def plan_existing_storage(
    shared: SharedStorage, planning: Planning[Any], *, pattern: str, example: str, cidr: str
) -> ExistingStoragePlan | None:
    """None if the cluster creates its own. pattern, example: of the cloud's ids of file systems. cidr: addresses of the
    nodes.
    """
    files = shared.existing
    if files is None:
        return None
    if not re.fullmatch(pattern, files.id):
        planning.refuse("storage.shared.existing.id", f"is {files.id!r}", f"write an id such as {example}")
    planning.before_up.append(
        f"shared storage: {files.id} is your file system: it is mounted as {files.mount}, kept at destroy, and not in "
        f"any total; it must allow Lustre's ports (988, 1018 to 1023) from {cidr}; no throughput is promised"
    )
    return ExistingStoragePlan(files=files, usable_gib=int(shared.usable_tib * GIB_PER_TIB))


class Lustre(Protocol):
    """As each cloud sells it. usable_gib: GiB that data may fill. capacity_gib, gb_per_s: as provisioned."""

    @property
    def usable_gib(self) -> int: ...
    @property
    def capacity_gib(self) -> int: ...
    @property
    def gb_per_s(self) -> Decimal: ...


Shared = BucketPlan | ExistingStoragePlan | Lustre


def shared_sizes(storage: Shared) -> tuple[int, Decimal | None]:
    """Capacity, GiB, and throughput, GB/s; None if none is promised."""
    if isinstance(storage, BucketPlan | ExistingStoragePlan):
        return storage.usable_gib, None
    return storage.capacity_gib, storage.gb_per_s


def shared_part(storage: Shared, *, lustre: str, bucket: str = "bucket") -> str:
    """The mounted storage, as text. lustre: with its capacity. bucket: the cloud's term for one."""
    data = f"for {storage.usable_gib:,} GiB of data"
    if isinstance(storage, ExistingStoragePlan):
        return f"yours, {storage.files.id}, {data}"
    if isinstance(storage, BucketPlan):
        return f"{bucket} {data}"
    return f"{lustre} {data}, {storage.gb_per_s:.1f} GB/s"


@dataclass(frozen=True, kw_only=True)
class HomePlan:
    """capacity_gib: provisioned and billed, GiB. expected_gib: average GiB stored, as the spec states."""

    capacity_gib: int
    expected_gib: Decimal
    protect: bool


def home_part(home: HomePlan | None, service: str) -> str:
    """A description to print."""
    if home is None:
        return "none"
    return f"{service} for small files, {home.capacity_gib:,} GiB for {home.expected_gib} GiB"


def plan_home_files(
    home: HomeStorage, planning: Planning[Any], *, capacity_gib: int, most_gib: int, service: str, store: str
) -> HomePlan:
    """capacity_gib: that holds the expected size plus headroom. most_gib: that the service, or one share of it, holds.
    store: the service's name in notes.
    """
    if home.expected_gib * HEADROOM > most_gib:
        fix = f"{service} holds at most {most_gib:,} GiB, including 25 % headroom: request less"
        planning.refuse("storage.home.expected_gib", f"is {home.expected_gib:,}", fix)
    planning.notes.append(
        f"home folders: {store} is billed by its provisioned size, {capacity_gib:,} GiB, not by stored data"
    )
    return HomePlan(capacity_gib=capacity_gib, expected_gib=home.expected_gib, protect=home.protect)


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
        elsewhere=lambda tier: prices.storage_price_in_other_regions(cloud, tier),
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
