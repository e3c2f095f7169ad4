"""Configuration and notes for existing blob containers on Azure.

Imports no Pulumi.
"""

from __future__ import annotations

from gpucluster.components.azure.location import Location
from gpucluster.components.azure.lustre import LustrePlan
from gpucluster.components.azure.settings import GRANTED, Settings
from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.data import OWN


def bucket_config_problems(spec: ClusterSpec, settings: Settings) -> list[Problem]:
    """Missing configuration for a linked container or for containers of identities."""
    linked = spec.storage.shared.bucket
    group = None if linked == OWN else settings.bucket_group
    asked = {
        **({} if linked == OWN else {"bucketGroup": group}),
        "lustrePrincipal": settings.lustre_principal,
    }
    missing = [key for key, value in asked.items() if value is None]
    if linked is not None and missing:
        where = "" if linked == OWN else " (bucketGroup: its resource group)"
        return [
            Problem(
                missing[0],
                "is missing, and storage.shared.bucket is set: Azure Managed Lustre reads a container with the roles "
                f"of HPC Cache Resource Provider (lustrePrincipal: its object id) in the storage account{where}",
                f"add {' and '.join(missing)}",
            )
        ]
    if linked == OWN and settings.lustre_principal == GRANTED:
        fix = (
            "write the object id of HPC Cache Resource Provider: the account of storage.bucket is made with the cluster"
        )
        return [Problem("lustrePrincipal", f"is {GRANTED!r}, and storage.shared.bucket is {OWN!r}", fix)]
    named = [
        f"identities.{name}"
        for name, identity in spec.identities.items()
        if any(bucket != OWN for bucket in (*identity.reads, *identity.writes))
    ]
    if named and settings.bucket_group is None:
        return [
            Problem(
                "bucketGroup",
                f"is missing, but {named[0]} is a container: rights are granted in the resource group of its account",
                "add it: the name of that resource group",
            )
        ]
    return []


def bucket_notes(storage: LustrePlan, location: Location) -> list[str]:
    """Notes on the container linked to shared storage."""
    bucket = storage.bucket
    if bucket is None:
        return []
    kept: list[str] = []
    if not bucket.account:
        which = f"storage.bucket: its objects under {bucket.prefix.strip('/')}/ appear under {bucket.prefix}"
    else:
        which = (
            f"container {bucket.container} must exist in {location.region}, in an account with keys enabled; its "
            "objects appear on the file system"
        )
        if location.settings.lustre_principal != GRANTED:
            kept.append(
                f"account {bucket.account}: destroy leaves the roles of HPC Cache Resource Provider, which other file "
                "systems may use; if none does, remove them: az role assignment delete"
            )
    if not storage.write_back:
        return [f"{which}, and nothing is written back automatically", *kept]
    # Source: Azure Managed Lustre documentation, "Use the auto-export feature" (preview, 2026-01-21) and "Use Azure
    # Blob storage with an Azure Managed Lustre file system".
    return [
        f"{which}; a preview feature writes back new and changed files, but not deletions and renames; it starts after "
        "the first import: if `up` runs too early, run it again",
        *kept,
    ]
