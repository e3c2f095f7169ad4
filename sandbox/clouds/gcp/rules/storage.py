"""Buckets and file shares.

Sources: Cloud Storage documentation, "About Cloud Storage buckets" (names), "Hierarchical namespace" and "Anywhere
Cache"; Filestore documentation, "Service tiers"; Filestore API, Instance.
"""

from __future__ import annotations

import re
from typing import Final

from gpucluster.sandbox.clouds.gcp.identity import is_zone, region_of
from gpucluster.sandbox.clouds.gcp.model import Thing
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule
from gpucluster.sandbox.type_guards import items, mapping

__all__: list[str] = []

_BUCKET: Final = "gcp:storage/bucket:Bucket"
_FILESTORE: Final = "gcp:filestore/instance:Instance"
_NAME: Final = re.compile(r"[a-z0-9]([-_.a-z0-9]*[a-z0-9])")

# Tier -> bands of capacity in GiB: least, most, step.
_CAPACITIES: Final = {
    "ZONAL": ((1024, 9984, 256), (10240, 102400, 2560)),
    "ENTERPRISE": ((1024, 10240, 256),),
}
_REGIONAL: Final = ("REGIONAL", "ENTERPRISE")


@rule(_BUCKET)
def bucket_name_is_allowed(thing: Thing) -> None:
    """3 to 63 lower-case letters, digits, dashes, underscores and dots; nothing of Google's own."""
    name = thing.name
    parts = name.split(".")
    fits = 3 <= len(name) <= (63 if len(parts) == 1 else 222) and all(len(part) <= 63 for part in parts)
    if not fits or not _NAME.fullmatch(name) or name.startswith("goog") or "google" in name:
        raise refused(thing, f"Invalid bucket name: '{name}'", reason="invalid")


@rule(_BUCKET)
def folders_need_uniform_access(thing: Thing) -> None:
    """A hierarchical namespace has no access lists and no object versions."""
    if mapping(thing.inputs.get("hierarchicalNamespace")).get("enabled") is not True:
        return
    if thing.inputs.get("uniformBucketLevelAccess") is not True:
        message = "Hierarchical namespace buckets must use uniform bucket-level access"
        raise refused(thing, message, reason="invalid")
    if mapping(thing.inputs.get("versioning")).get("enabled") is True:
        raise refused(thing, "Object versioning is not supported with a hierarchical namespace", reason="invalid")


@rule("gcp:storage/bucketIAMMember:BucketIAMMember", "gcp:storage/anywhereCache:AnywhereCache")
def bucket_exists(thing: Thing) -> None:
    """The bucket is there, whichever project has it."""
    name = str(thing.inputs["bucket"]).removeprefix("b/")
    if not any(entry.id == name for entry in thing.ledger.with_id(name, {_BUCKET})):
        raise refused(thing, "The specified bucket does not exist.", status=404, reason="notFound")


@rule(_FILESTORE)
def share_has_a_size_that_is_sold(thing: Thing) -> None:
    """Capacities come in the steps of the tier."""
    bands = _CAPACITIES.get(str(thing.inputs["tier"]))
    capacity = int(mapping(thing.inputs["fileShares"]).get("capacityGb") or 0)
    if bands and not any(low <= capacity <= high and (capacity - low) % step == 0 for low, high, step in bands):
        words = "; ".join(f"{low} to {high} GiB in steps of {step}" for low, high, step in bands)
        message = f"capacity_gb {capacity} is not valid for tier {thing.inputs['tier']}; valid: {words}"
        raise refused(thing, message, reason="INVALID_ARGUMENT")


@rule(_FILESTORE)
def share_is_where_its_tier_is(thing: Thing) -> None:
    """Regional tiers are in a region, the others in a zone; the network exists."""
    is_regional = thing.inputs["tier"] in _REGIONAL
    if is_regional == is_zone(thing.location):
        where = f"a region, such as {region_of(thing.location)}" if is_regional else "a zone"
        message = f"location {thing.location} is not valid for tier {thing.inputs['tier']}; it is in {where}"
        raise refused(thing, message, reason="INVALID_ARGUMENT")
    for item in items(thing.inputs["networks"]):
        path = thing.path(mapping(item).get("network"), "global/networks")
        if thing.network(path) is None and not path.endswith("/networks/default"):
            raise refused(thing, f"Network '{path}' was not found", status=404, reason="NOT_FOUND")
