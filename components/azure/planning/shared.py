"""Shared storage on Azure, and the blob containers that it and jobs use: Managed Lustre, a container, or an existing
file system. Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gpucluster.components.azure.location import NO_ZONE, Location
from gpucluster.components.azure.machines import CLOUD
from gpucluster.components.azure.planning.lustre import Bucket, LustrePlan, plan_lustre, refuse_lustre
from gpucluster.components.azure.settings import GRANTED
from gpucluster.components.planning.planning import Planning
from gpucluster.components.shared.storage.buckets import BucketPlan, plan_shared_bucket
from gpucluster.components.shared.storage.existing_storage import MountedPlan, plan_mounted
from gpucluster.components.shared.storage.lustre_tiers import tier_prices
from gpucluster.components.spec.storage import OWN, Identity, SharedStorage

SharedPlan = LustrePlan | BucketPlan | MountedPlan

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
    mounted = plan_mounted(shared, planning, pattern=_FILES, example=_FILES_EXAMPLE, cidr=cidr)
    return mounted or _plan_lustre(shared, planning)


def _plan_lustre(shared: SharedStorage, planning: Planning[Location]) -> LustrePlan:
    sold = refuse_lustre(shared, planning)
    plan = plan_lustre(sold, tier_prices(planning.prices, CLOUD, planning.location.region))
    planning.notes.append(f"shared storage: {plan.choice}")
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
    planning.before_up.append(
        f"container {bucket.container} must exist in {location.region}, in an account with keys enabled; its objects "
        f"appear on the file system{back}"
    )
    if location.settings.lustre_principal != GRANTED:
        planning.notes.append(
            f"account {bucket.account}: destroy leaves the roles of HPC Cache Resource Provider, which other file "
            "systems may use; if none does, remove them: az role assignment delete"
        )
