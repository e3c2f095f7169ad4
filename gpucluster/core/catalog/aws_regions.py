"""Regions, zones and Local Zones of AWS: `aws_regions.csv` and `aws_local_zones.csv`.

`aws_regions.csv`, columns: region; zones, by id, which is the same in every account; without_eks, zones without EKS
control planes; lustre, FSx for Lustre there: `persistent_2`, `persistent_2_basic` (125 and 250 MB/s per TiB, and no
EFA), `persistent_1`, empty without a source; prometheus, Amazon Managed Service for Prometheus there:
`collector`, `workspace` (no managed collector), or `no`; offerings, the date of a list of all machines sold there,
empty without one. In a region with such a list, machines without any zone in `zones.csv` are not sold.

`aws_local_zones.csv`: FSx offers in a Local Zone, by its id. Other Local Zones are unknown.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gpucluster.core.catalog.machines import zones_of
from gpucluster.core.catalog.tables import Row, rows

_LUSTRE: Final = ("persistent_2", "persistent_2_basic", "persistent_1", "")
_PROMETHEUS: Final = ("collector", "workspace", "no")
_LETTERS: Final = "abcdefgh"
_DIRECTION: Final = "north|south|east|west|central|gov"


@dataclass(frozen=True, kw_only=True)
class AwsRegion:
    """One region; the columns of the table."""

    name: str
    zones: tuple[str, ...]
    without_eks: tuple[str, ...]
    lustre: str
    prometheus: str
    offerings: str

    @property
    def prefix(self) -> str:
        """Prefix of its zones' ids, such as `use1`.

        Source: AWS Regions and Availability Zones documentation, az-ids; derived by rule if no zone of it is known.
        """
        area, *rest = self.name.split("-")
        return area + re.sub(_DIRECTION, lambda found: found[0][0], "".join(rest))


@functools.cache
def aws_regions() -> Mapping[str, AwsRegion]:
    """Every region by its name."""
    return {row["region"]: _region(row) for row in rows("aws_regions")}


def _region(row: Row) -> AwsRegion:
    for column, allowed in (("lustre", _LUSTRE), ("prometheus", _PROMETHEUS)):
        if row[column] not in allowed:
            raise row.bad(column, f"allowed: {', '.join(one or 'empty' for one in allowed)}")
    return AwsRegion(
        name=row["region"],
        zones=tuple(row["zones"].split()),
        without_eks=tuple(row["without_eks"].split()),
        lustre=row["lustre"],
        prometheus=row["prometheus"],
        offerings=row["offerings"],
    )


def zone_id(region: str, local_zone: str) -> str:
    """The id of a Local Zone, whose name is the same in every account: `us-east-1-atl-2a` is `use1-atl2-az1`."""
    place, number = local_zone.removeprefix(f"{region}-").split("-")
    return f"{aws_regions()[region].prefix}-{place}{number[:-1]}-az{_LETTERS.index(number[-1]) + 1}"


def local_zone(region: str, zone: str) -> str | None:
    """The name of a Local Zone given by name or id; None if it is not a Local Zone of the region."""
    if re.fullmatch(rf"{region}-[a-z]{{3}}-\d[{_LETTERS}]", zone):
        return zone
    known = aws_regions().get(region)
    found = known and re.fullmatch(rf"{known.prefix}-([a-z]{{3}}\d)-az([1-8])", zone)
    return f"{region}-{found[1][:3]}-{found[1][3]}{_LETTERS[int(found[2]) - 1]}" if found else None


def local_zone_names(region: str, zone: str) -> tuple[str, ...]:
    """Names of a Local Zone in lists: its name, its id, and its group, which is one place; none for another zone."""
    name = local_zone(region, zone)
    return () if name is None or region not in aws_regions() else (name, zone_id(region, name), name[:-1])


@functools.cache
def region_of_zone(zone: str) -> str | None:
    """The region of a zone id, or of a region's own name; None for a zone of another cloud."""
    found = (region for region in aws_regions().values() if zone == region.name or _is_id(zone, region))
    return next((region.name for region in found), None)


def _is_id(zone: str, region: AwsRegion) -> bool:
    return zone.startswith(f"{region.prefix}-") and not zone.startswith(f"{region.name}-")


def sold_in(machine: str, region: str) -> tuple[str, ...] | None:
    """The zones of a region that sell a machine, by id; the region's own name if only that is known. None without a
    list.
    """
    found = tuple(zone for zone in zones_of(machine) if region_of_zone(zone) == region)
    return found if found or aws_regions()[region].offerings else None


@functools.cache
def _local_zones() -> Mapping[str, str]:
    return {row["zone"]: row["lustre"] for row in rows("aws_local_zones")}


def local_zone_lustre(zone: str) -> str:
    """FSx offers in a Local Zone, by its id, as in the table of regions; empty if unknown."""
    return _local_zones().get(zone, "")
