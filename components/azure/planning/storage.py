"""Shared storage on Azure, and the blob containers that it and jobs use: Managed Lustre, a container, or an existing
file system. Imports no Pulumi.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.components.azure.arm import storage_account_id
from gpucluster.components.azure.location import NO_ZONE, Location
from gpucluster.components.azure.planning.machines import CLOUD
from gpucluster.components.azure.planning.quotas import LUSTRE
from gpucluster.components.azure.settings import GRANTED
from gpucluster.components.planning.planning import GIB_PER_TIB, HEADROOM, Planning
from gpucluster.components.shared.buckets import BucketPlan, plan_shared_bucket
from gpucluster.components.shared.file_systems import (
    ExistingStoragePlan,
    TierPrices,
    cheapest,
    offer,
    plan_existing_storage,
    tier_prices,
)
from gpucluster.components.spec.storage import OWN, Identity, SharedStorage
from gpucluster.core.program.questions import Question

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
_USUAL_LIMIT = 128


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
        return self.capacity_tib > _WITHOUT_REQUEST.get(self.tier, _USUAL_LIMIT)


def _steps(tier: int, tib: Decimal) -> int:
    """The smallest sufficient capacity on sale, TiB: Azure rounds up automatically, and bills the result."""
    step = LUSTRE_TIERS[tier].step
    return max(1, math.ceil(tib / step)) * step


def _for_all(shared: SharedStorage, tier: int) -> int:
    return _steps(tier, max(shared.usable_tib * HEADROOM, shared.gb_per_s * 1_000 / tier))


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


def plan_lustre(shared: SharedStorage, price: TierPrices) -> LustrePlan:
    """The cheapest tier and capacity that hold the data with headroom and reach the throughput.

    Without a price here, `cheapest` documents the choice. `refuse_lustre` returns what can be provided.
    """
    offers = [
        offer(tier, _for_all(shared, tier) * GIB_PER_TIB, price)
        for tier, limits in LUSTRE_TIERS.items()
        if _for_all(shared, tier) <= limits.most
    ]
    chosen, choice = cheapest(offers, tier=shared.tier)
    return LustrePlan(
        capacity_tib=chosen.capacity_gib // GIB_PER_TIB,
        usable_gib=math.floor(shared.usable_tib * GIB_PER_TIB),
        tier=chosen.tier,
        protect=shared.protect,
        choice=choice,
        bucket=None if shared.bucket is None else bucket_of(shared.bucket),
        write_back=shared.write_back,
    )


def bucket_of(address: str) -> Bucket:
    """The container at an address of the spec; the own one if it is none."""
    match = re.fullmatch(_BUCKET, address)
    if match is None:
        return Bucket(account="", container="", prefix=_OWN_PREFIX)
    return Bucket(account=match["account"], container=match["container"], prefix=match["prefix"] or "/")


SharedPlan = LustrePlan | BucketPlan | ExistingStoragePlan

# Source: Azure Resource Manager, "Naming rules and restrictions for Azure resources" (Microsoft.StorageCache).
_FILES = (
    r"(?i)^/subscriptions/[0-9a-f-]{36}/resourceGroups/[\w().-]{1,90}/providers/Microsoft\.StorageCache/amlFilesystems/"
    r"[\w-]{2,80}$"
)
_FILES_EXAMPLE = (
    "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/mine/providers/Microsoft.StorageCache/"
    "amlFilesystems/shared"
)


def plan_shared(shared: SharedStorage, planning: Planning[Location], *, cidr: str, host_gbps: int) -> SharedPlan:
    """cidr: of the network. host_gbps: of the network card of a training node, Gb/s."""
    if shared.fabric:
        planning.losses.append(
            f"storage.shared.fabric: nodes reach Azure Managed Lustre by TCP over {host_gbps} Gb/s a node, never over "
            "InfiniBand"
        )
    _refuse_place(planning, lustre=shared.makes_lustre)
    bucket = plan_shared_bucket(shared, planning)
    if bucket is not None:
        # Source: AKS documentation, "Create and use a volume with Azure Blob storage" (about blobfuse cache).
        planning.notes.append(
            "shared storage: a node reads and writes each bucket file as a whole, through its system disk, so each "
            "file must fit in its free space"
        )
        return bucket
    existing = plan_existing_storage(shared, planning, pattern=_FILES, example=_FILES_EXAMPLE, cidr=cidr)
    if existing is not None:
        planning.ask(Question(about="file-system", subject=existing.files.id, needed="ready", title="shared storage"))
    return existing or _plan_lustre(shared, planning)


def _plan_lustre(shared: SharedStorage, planning: Planning[Location]) -> LustrePlan:
    sold = refuse_lustre(shared, planning)
    plan = plan_lustre(sold, tier_prices(planning.prices, CLOUD, planning.location.region))
    planning.quotas[LUSTRE] += plan.capacity_tib
    planning.notes.append(f"shared storage: {plan.choice}")
    zone = planning.location.lustre_zone
    planning.ask(
        Question(
            about="lustre-tier",
            subject=plan.sku,
            needed=f"zone {zone}",
            place=planning.location.region,
            title="Azure Managed Lustre",
            details={"zone": zone or ""},
        )
    )
    if plan.large:
        planning.before_up.append(
            f"shared storage: {plan.capacity_tib:,} TiB at {plan.tier} MB/s per TiB may need a request to Microsoft "
            "support; Azure's documents give different limits"
        )
    if plan.bucket is not None:
        _report_bucket(plan.bucket, planning, write_back=plan.write_back)
    return plan


def _refuse_place(planning: Planning[Location], *, lustre: bool) -> None:
    """Why a file system can't be created at a location. lustre: the cluster creates one.

    Source: Azure Managed Lustre documentation, "Create a file system using Resource Manager templates": a zone is
    required information, and zoneMappings lists regions with their zones.
    """
    location = planning.location
    own, region = location.settings.lustre_zone, location.region
    others = "write storage.shared.kind: bucket or storage.shared.existing in the spec"
    created = "but Azure Managed Lustre is created in one zone"
    if own is not None and not (location.zonal and location.number is None and lustre):
        fits = f"is {own!r}, which is only for a new Managed Lustre with zone {NO_ZONE} in a region with zones"
        planning.refuse_place("lustreZone", fits, "remove it")
    elif lustre and location.lustre_zone is None and location.zonal:
        fix = f'add lustreZone: "1", or the number of another zone, or {others}'
        planning.refuse_place("zone", f"is {NO_ZONE!r}, {created}", fix)
    elif lustre and location.lustre_zone is None:
        seen = f"is {region!r}, which has no availability zones, {created}"
        planning.refuse_place("region", seen, f"{others}, or choose a region with zones")


def refuse_containers(linked: str | None, identities: Mapping[str, Identity], planning: Planning[Location]) -> None:
    """Missing configuration for the container that is linked to shared storage, or for containers of identities."""
    settings = planning.location.settings
    needed: Iterable[tuple[str, str | None]] = (
        *(() if linked == OWN else [("bucketGroup", settings.bucket_group)]),
        ("lustrePrincipal", settings.lustre_principal),
    )
    missing = [key for key, value in needed if value is None]
    named = [
        f"identities.{name}"
        for name, identity in identities.items()
        if any(bucket != OWN for bucket in (*identity.reads, *identity.writes))
    ]
    if linked is not None and missing:
        where = "" if linked == OWN else " (bucketGroup: its resource group)"
        planning.refuse_place(
            missing[0],
            "is missing, and storage.shared.bucket is set: Azure Managed Lustre reads a container with the roles of "
            f"HPC Cache Resource Provider (lustrePrincipal: its object id) in the storage account{where}",
            f"add {' and '.join(missing)}",
        )
    elif linked == OWN and settings.lustre_principal == GRANTED:
        fix = (
            "write the object id of HPC Cache Resource Provider: the account of storage.bucket is made with the cluster"
        )
        planning.refuse_place("lustrePrincipal", f"is {GRANTED!r}, and storage.shared.bucket is {OWN!r}", fix)
    elif named and settings.bucket_group is None:
        planning.refuse_place(
            "bucketGroup",
            f"is missing, but {named[0]} is a container: rights are granted in the resource group of its account",
            "add it: the name of that resource group",
        )


def _report_bucket(bucket: Bucket, planning: Planning[Location], *, write_back: bool) -> None:
    """The container linked to shared storage.

    Source: Azure Managed Lustre documentation, "Use the auto-export feature" (preview, 2026-01-21) and "Use Azure Blob
    storage with an Azure Managed Lustre file system".
    """
    location = planning.location
    back = (
        "; a preview feature writes back new and changed files, but not deletions and renames; it starts after the "
        "first import: if `up` runs too early, run it again"
        if write_back
        else ", and nothing is written back automatically"
    )
    if not bucket.account:
        prefix = bucket.prefix
        planning.notes.append(f"storage.bucket: its objects under {prefix.strip('/')}/ appear under {prefix}{back}")
        return
    group = location.settings.bucket_group
    planning.ask(
        Question(
            about="container",
            subject=bucket.container,
            needed=f"in {location.region}, keys enabled",
            title=f"blob container of {bucket.account}",
            details={
                "account": storage_account_id(location.subscription, group or "", bucket.account),
                "region": location.region,
            },
            note=f"container {bucket.container} must exist in {location.region}, in an account with keys enabled; its "
            f"objects appear on the file system{back}",
        )
    )
    if location.settings.lustre_principal != GRANTED:
        planning.ask(
            Question(
                about="principal",
                subject=location.settings.lustre_principal or "",
                needed="HPC Cache Resource Provider",
                title="service principal of this id",
                decides=False,
            )
        )
    if location.settings.lustre_principal != GRANTED:
        planning.notes.append(
            f"account {bucket.account}: destroy leaves the roles of HPC Cache Resource Provider, which other file "
            "systems may use; if none does, remove them: az role assignment delete"
        )
