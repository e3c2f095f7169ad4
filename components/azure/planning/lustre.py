"""Size and tier of an Azure Managed Lustre file system for a spec. Imports no Pulumi."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.components.azure.location import Location
from gpucluster.components.planning.planning import GIB_PER_TIB, HEADROOM, Planning
from gpucluster.components.shared.storage.lustre_tiers import TierPrices, cheapest, offer
from gpucluster.components.spec.storage import OWN, SharedStorage

# The user writes the beginning of an object's address. Source: Azure Storage, names of accounts and containers.
_BUCKET = (
    r"^https://(?P<account>[a-z0-9]{3,24})\.blob\.core\.windows\.net/(?P<container>[a-z0-9](-?[a-z0-9]){2,62})"
    r"(?P<prefix>/.*)?$"
)

# Path in the cluster's own container, and the same path on the file system, both ways.
_OWN_PREFIX = "/bucket"

# Maximum without a request to Microsoft's support, TiB, by MB/s for each TiB.
# Source: Azure Managed Lustre documentation, "Create a file system" (2024-11).
_WITHOUT_REQUEST = {40: 768}
_WITHOUT_REQUEST_ELSE = 128


@dataclass(frozen=True, kw_only=True)
class Tier:
    """Capacities of one tier, TiB: whole steps, at most `most`."""

    step: int
    most: int


# MB/s for each TiB -> its capacities.
# Sources: Azure Managed Lustre documentation, "Create a file system"; Azure/cyclecloud-slurm-workspace,
# bicep/amlfs.bicep (steps); Azure/ai-infrastructure-on-azure (greatest sizes, 2026-04).
LUSTRE_TIERS = {
    40: Tier(step=48, most=12_800),
    125: Tier(step=16, most=4_096),
    250: Tier(step=8, most=2_048),
    500: Tier(step=4, most=1_024),
}


@dataclass(frozen=True, kw_only=True)
class Bucket:
    """A blob container whose objects appear on the file system. prefix: of these objects, / for all.

    account, container: empty for the cluster's own.
    """

    account: str
    container: str
    prefix: str


@dataclass(frozen=True, kw_only=True)
class LustrePlan:
    """capacity_tib: as provisioned, TiB of 1,024 GiB. usable_gib: GiB that data may fill. tier: MB/s for each TiB.

    write_back: whether changes of its objects are written to the container. choice: reason for this tier, in one
    sentence. large: more than available without a request to support.
    """

    capacity_tib: int
    usable_gib: int
    tier: int
    protect: bool
    choice: str
    bucket: Bucket | None = None
    write_back: bool = False

    @property
    def sku(self) -> str:
        return f"AMLFS-Durable-Premium-{self.tier}"

    @property
    def gb_per_s(self) -> Decimal:
        """Total throughput, GB/s."""
        return Decimal(self.capacity_tib * self.tier) / 1_000

    @property
    def capacity_gib(self) -> int:
        return self.capacity_tib * GIB_PER_TIB

    @property
    def large(self) -> bool:
        return self.capacity_tib > _WITHOUT_REQUEST.get(self.tier, _WITHOUT_REQUEST_ELSE)


def _steps(tier: int, tib: Decimal) -> int:
    """The smallest sufficient capacity on sale, TiB: Azure rounds up automatically, and bills the result."""
    step = LUSTRE_TIERS[tier].step
    return max(1, math.ceil(tib / step)) * step


def _for_all(asked: SharedStorage, tier: int) -> int:
    return _steps(tier, max(asked.usable_tib * HEADROOM, asked.gb_per_s * 1_000 / tier))


def refuse_lustre(shared: SharedStorage, planning: Planning[Location]) -> SharedStorage:
    """What Azure cannot provide. Returns the request, or a small one in its place."""
    if shared.bucket not in (None, OWN) and not re.fullmatch(_BUCKET, shared.bucket):
        planning.refuse(
            "storage.shared.bucket",
            f"is {shared.bucket!r}",
            "on Azure write https://ACCOUNT.blob.core.windows.net/CONTAINER, with /prefix to import only a part of it, "
            f"or {OWN} for storage.bucket",
        )
    tiers = [tier for tier in LUSTRE_TIERS if shared.tier in (None, tier)]
    if any(_for_all(shared, tier) <= LUSTRE_TIERS[tier].most for tier in tiers):
        return shared
    if not tiers:
        have = f"Azure Managed Lustre has {', '.join(map(str, LUSTRE_TIERS))} MB/s per TiB"
        planning.refuse("storage.shared.tier", f"is {shared.tier}", have)
    else:
        limits = ", ".join(f"{LUSTRE_TIERS[tier].most:,} TiB at {tier} MB/s per TiB" for tier in tiers)
        planning.refuse(
            "storage.shared",
            f"requests {shared.usable_tib} TiB of data, plus 25 % headroom, and {shared.gb_per_s} GB/s",
            f"Azure Managed Lustre has at most {limits}: request less",
        )
    return SharedStorage(usable_tib=Decimal(1))


def plan_lustre(asked: SharedStorage, price: TierPrices) -> LustrePlan:
    """The cheapest tier and capacity that hold the data with headroom and reach the throughput.

    Without a price here, `cheapest` documents the choice. `refuse_lustre` returns what can be provided.
    """
    offers = [
        offer(tier, _for_all(asked, tier) * GIB_PER_TIB, price)
        for tier, limits in LUSTRE_TIERS.items()
        if _for_all(asked, tier) <= limits.most
    ]
    chosen, choice = cheapest(offers, tier=asked.tier)
    return LustrePlan(
        capacity_tib=chosen.capacity_gib // GIB_PER_TIB,
        usable_gib=math.floor(asked.usable_tib * GIB_PER_TIB),
        tier=chosen.tier,
        protect=asked.protect,
        choice=choice,
        bucket=None if asked.bucket is None else bucket_of(asked.bucket),
        write_back=asked.write_back,
    )


def bucket_of(address: str) -> Bucket:
    """The container at an address of the spec; the own one if it is none."""
    match = re.fullmatch(_BUCKET, address)
    if match is None:
        return Bucket(account="", container="", prefix=_OWN_PREFIX)
    return Bucket(account=match["account"], container=match["container"], prefix=match["prefix"] or "/")
