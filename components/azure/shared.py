"""Shared storage on Azure: Managed Lustre, a blob container, or an existing file system.

Imports no Pulumi.
"""

from __future__ import annotations

from gpucluster.components.azure.bucket import bucket_notes
from gpucluster.components.azure.location import NO_ZONE, Location
from gpucluster.components.azure.lustre import LustrePlan, lustre_problems, plan_lustre
from gpucluster.components.buckets import SHARED_BUCKET_NOTE, BucketPlan, old_plan_shared_bucket
from gpucluster.components.mounted import MountedPlan, mounted_notes, old_plan_mounted
from gpucluster.components.offers import TierPrices
from gpucluster.components.problem import Problem
from gpucluster.components.spec.storage import SharedStorage

SharedPlan = LustrePlan | BucketPlan | MountedPlan


def plan_shared(asked: SharedStorage, price: TierPrices) -> SharedPlan:
    """`asked` must pass `shared_problems`."""
    return old_plan_shared_bucket(asked) or old_plan_mounted(asked) or plan_lustre(asked, price)


def shared_problems(asked: SharedStorage) -> list[Problem]:
    """Why Managed Lustre can't be created as requested; the others have no options."""
    return lustre_problems(asked) if asked.makes_lustre else []


def shared_place_problems(asked: SharedStorage, location: Location) -> list[Problem]:
    """Why a file system can't be created at a location, in the terms of the stack's configuration.

    Source: Azure Managed Lustre documentation, "Create a file system using Resource Manager templates": a zone is
    required information, and zoneMappings lists regions with their zones.
    """
    own, region = location.settings.lustre_zone, location.region
    if own is not None and not (location.zonal and location.number is None and asked.makes_lustre):
        fits = f"is {own!r}, which is only for a new Managed Lustre with zone {NO_ZONE} in a region with zones"
        return [Problem("lustreZone", fits, "remove it")]
    if not asked.makes_lustre or location.lustre_zone is not None:
        return []
    others = "write storage.shared.kind: bucket or storage.shared.existing in the spec"
    if location.zonal:
        seen = f"is {NO_ZONE!r}, but Azure Managed Lustre is created in one zone"
        return [Problem("zone", seen, f'add lustreZone: "1", or the number of another zone, or {others}')]
    seen = f"is {region!r}, which has no availability zones, but Azure Managed Lustre is created in one zone"
    return [Problem("region", seen, f"{others}, or choose a region with zones")]


def shared_notes(storage: SharedPlan, location: Location, cidr: str) -> list[str]:
    """Facts about it that the spec does not state. cidr: of the network."""
    if isinstance(storage, MountedPlan):
        return mounted_notes(storage, cidr)
    if isinstance(storage, BucketPlan):
        # Source: AKS documentation, "Create and use a volume with Azure Blob storage" (about blobfuse cache).
        return [
            SHARED_BUCKET_NOTE,
            "shared storage: a node reads and writes each bucket file as a whole, through its system disk, so each "
            "file must fit in its free space",
        ]
    notes = [f"shared storage: {storage.choice}"]
    if storage.large:
        notes.append(
            f"shared storage: {storage.capacity_tib:,} TiB at {storage.tier} MB/s per TiB may need a request to "
            "Microsoft support; Azure's documents give different limits"
        )
    return [*notes, *bucket_notes(storage, location)]
