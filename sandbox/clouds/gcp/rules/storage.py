"""Buckets and file shares.

Sources: Cloud Storage documentation, "About Cloud Storage buckets" (names), "Hierarchical namespace" and "Anywhere
Cache"; Filestore documentation, "Service tiers"; Filestore API, Instance.
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.gcp.identity import is_zone, region_of
from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule

_BUCKET: Final = "gcp:storage/bucket:Bucket"
_FILESTORE: Final = "gcp:filestore/instance:Instance"
_NAME: Final = r"[a-z0-9]([-_.a-z0-9]*[a-z0-9])"

# Tier -> ranges of capacity in GiB: minimum, maximum, step.
_CAPACITIES: Final = {
    "ZONAL": ((1024, 9984, 256), (10240, 102400, 2560)),
    "ENTERPRISE": ((1024, 10240, 256),),
}
_REGIONAL: Final = ("REGIONAL", "ENTERPRISE")


@rule(_BUCKET)
def bucket_name_is_allowed(managed: ManagedResource) -> None:
    """3 to 63 lower-case letters, digits, dashes, underscores and dots; no reserved name of Google."""
    name = managed.name
    parts = name.split(".")
    fits = 3 <= len(name) <= (63 if len(parts) == 1 else 222) and all(len(part) <= 63 for part in parts)
    if not fits or not re.fullmatch(_NAME, name) or name.startswith("goog") or "google" in name:
        raise refused(managed, f"Invalid bucket name: '{name}'", reason="invalid")


@rule(_BUCKET)
def folders_need_uniform_access(managed: ManagedResource) -> None:
    """A hierarchical namespace has no access lists and no object versions."""
    if mapping(managed.inputs.get("hierarchicalNamespace")).get("enabled") is not True:
        return
    if managed.inputs.get("uniformBucketLevelAccess") is not True:
        message = "Hierarchical namespace buckets must use uniform bucket-level access"
        raise refused(managed, message, reason="invalid")
    if mapping(managed.inputs.get("versioning")).get("enabled") is True:
        raise refused(managed, "Object versioning is not supported with a hierarchical namespace", reason="invalid")


@rule("gcp:storage/bucketIAMMember:BucketIAMMember", "gcp:storage/anywhereCache:AnywhereCache")
def bucket_exists(managed: ManagedResource) -> None:
    """The bucket exists, in any project."""
    name = str(managed.inputs["bucket"]).removeprefix("b/")
    if not any(entry.id == name for entry in managed.ledger.with_id(name, {_BUCKET})):
        raise refused(managed, "The specified bucket does not exist.", status=404, reason="notFound")


@rule(_FILESTORE)
def share_has_a_size_that_is_sold(managed: ManagedResource) -> None:
    """Capacities are steps of the tier."""
    bands = _CAPACITIES.get(str(managed.inputs["tier"]))
    capacity = int(mapping(managed.inputs["fileShares"]).get("capacityGb") or 0)
    if bands and not any(low <= capacity <= high and (capacity - low) % step == 0 for low, high, step in bands):
        words = "; ".join(f"{low} to {high} GiB in steps of {step}" for low, high, step in bands)
        message = f"capacity_gb {capacity} is not valid for tier {managed.inputs['tier']}; valid: {words}"
        raise refused(managed, message, reason="INVALID_ARGUMENT")


@rule(_FILESTORE)
def share_is_where_its_tier_is(managed: ManagedResource) -> None:
    """Regional tiers are in a region, the others in a zone; the network exists."""
    is_regional = managed.inputs["tier"] in _REGIONAL
    if is_regional == is_zone(managed.location):
        where = f"a region, such as {region_of(managed.location)}" if is_regional else "a zone"
        message = f"location {managed.location} is not valid for tier {managed.inputs['tier']}; it is in {where}"
        raise refused(managed, message, reason="INVALID_ARGUMENT")
    for item in items(managed.inputs["networks"]):
        path = managed.path(mapping(item).get("network"), "global/networks")
        if managed.network(path) is None and not path.endswith("/networks/default"):
            raise refused(managed, f"Network '{path}' was not found", status=404, reason="NOT_FOUND")
