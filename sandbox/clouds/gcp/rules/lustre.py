"""Sizes and networks of Managed Lustre.

Sources: Managed Lustre documentation, "Performance tiers", "Increase the capacity" and "Create an instance"; Managed
Lustre API, Instance.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.gcp.identity import forms, region_of, zones_of
from gpucluster.sandbox.clouds.gcp.model import ManagedResource
from gpucluster.sandbox.clouds.gcp.rules.rule import refused, rule

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
def file_system_has_a_short_name(managed: ManagedResource) -> None:
    """Up to eight letters and digits."""
    name = str(managed.inputs["filesystem"])
    if not re.fullmatch(r"[A-Za-z0-9]{1,8}", name):
        message = f"filesystem '{name}' is not valid; valid: up to 8 letters and digits"
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
