"""Managed Lustre, buckets and file shares.

Sources: Managed Lustre documentation, "Performance tiers", "Increase the capacity" and "Create an instance"; Managed
Lustre API, Instance.

Sources: Cloud Storage documentation, "About Cloud Storage buckets" (names), "Hierarchical namespace" and "Anywhere
Cache"; Filestore documentation, "Service tiers"; Filestore API, Instance.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.gcp.model import ManagedResource, forms, is_zone, refused, region_of, rule, zones_of

_LUSTRE: Final = "gcp:lustre/instance:Instance"
_SERVICE: Final = "servicenetworking.googleapis.com"


@dataclass(frozen=True)
class _Tier:
    """Sizes in GiB: from `least` to `most`, in steps of `step` up to `threshold` and of `large_step` beyond."""

    least: int
    most: int
    step: int
    threshold: int
    large_step: int

    def fits(self, capacity: int) -> bool:
        step = self.step if capacity <= self.threshold else self.large_step
        return self.least <= capacity <= self.most and capacity % step == 0

    def __str__(self) -> str:
        text = f"{self.least} to {self.most} GiB in steps of {self.step}"
        return text if self.threshold == self.most else f"{text}, above {self.threshold} of {self.large_step}"


_TIERS: Final = {
    "1000": _Tier(9_000, 10_008_000, 9_000, 1_530_000, 72_000),
    "500": _Tier(18_000, 20_016_000, 18_000, 3_060_000, 144_000),
    "250": _Tier(36_000, 40_032_000, 36_000, 6_120_000, 288_000),
    "125": _Tier(72_000, 12_240_000, 72_000, 12_240_000, 72_000),
}
"""By MB/s per TiB."""

_DYNAMIC: Final = _Tier(472_000, 84_016_000, 472_000, 84_016_000, 472_000)


def _tier(managed: ManagedResource) -> _Tier | None:
    if mapping(managed.inputs.get("dynamicTierOptions")).get("mode") not in (None, "", "DISABLED"):
        return _DYNAMIC
    return _TIERS.get(str(managed.inputs.get("perUnitStorageThroughput")))


@rule(_LUSTRE)
def tier_is_one_that_is_sold(managed: ManagedResource) -> None:
    """One of four throughputs, or the dynamic tier, which has none."""
    given = managed.inputs.get("perUnitStorageThroughput")
    tier = _tier(managed)
    if tier is None:
        message = f"perUnitStorageThroughput {given} is not valid; valid: {', '.join(_TIERS)}"
        raise refused(managed, message, reason="INVALID_ARGUMENT")
    if tier is _DYNAMIC and given is not None:
        message = "perUnitStorageThroughput cannot be set with the dynamic tier"
        raise refused(managed, message, reason="INVALID_ARGUMENT")


@rule(_LUSTRE)
def capacity_is_a_step(managed: ManagedResource) -> None:
    """The capacity is one of the tier's steps, and only grows, but not over the threshold at which the step changes."""
    tier = _tier(managed)
    capacity = int(managed.inputs.get("capacityGib") or 0)
    if tier is not None and not tier.fits(capacity):
        message = f"capacityGib {capacity} is not valid for this tier; valid: {tier}"
        raise refused(managed, message, reason="INVALID_ARGUMENT")
    before = int(managed.previous.get("capacityGib") or 0)
    if capacity < before:
        message = f"capacityGib cannot shrink from {before} to {capacity}"
        raise refused(managed, message, reason="INVALID_ARGUMENT")
    if tier is not None and before and before <= tier.threshold < capacity:
        message = f"An instance of {before} GiB cannot grow beyond {tier.threshold} GiB"
        raise refused(managed, message, reason="INVALID_ARGUMENT")


@rule(_LUSTRE)
def instance_is_in_a_zone(managed: ManagedResource) -> None:
    """The location is a zone."""
    if managed.location not in zones_of(region_of(managed.location)):
        message = f"location '{managed.location}' is not valid; an instance is in a zone, such as us-central1-a"
        raise refused(managed, message, reason="INVALID_ARGUMENT")


@rule(_LUSTRE)
def network_is_connected_to_services(managed: ManagedResource) -> None:
    """The network exists and has a private connection to Google's services."""
    path = managed.path(managed.inputs["network"], "global/networks")
    if managed.network(path) is None and not path.endswith("/networks/default"):
        raise refused(managed, f"Network '{path}' was not found", status=404, reason="NOT_FOUND")
    connections = managed.others("gcp:servicenetworking/connection:Connection", *forms(path))
    if not any(
        (managed.path(entry.inputs["network"], "global/networks"), entry.inputs["service"]) == (path, _SERVICE)
        for entry in connections
    ):
        message = f"Network '{path}' has no private services access: create its connection to {_SERVICE} first"
        raise refused(managed, message, reason="FAILED_PRECONDITION")


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
