"""Where a cluster on AWS stands: a region, the zone of its GPU nodes, and a second zone for the control plane."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Location", "parse_location"]

_REGION = re.compile(r"^[a-z]{2}(-[a-z]+)+-\d$")


@dataclass(frozen=True, kw_only=True)
class Location:
    """Zones are names such as us-east-1a, which differ between accounts; a zone id such as use1-az4 does not."""

    region: str
    zone: str
    second_zone: str


def parse_location(*, region: str, zone: str, second_zone: str | None) -> Location | list[str]:
    """The location, or every problem with it in the words of the stack's configuration.

    The control plane needs two zones (EKS refuses one). Without `secondZone` it takes zone a, or b beside a.
    """
    problems: list[str] = []
    if not _REGION.match(region):
        problems.append(f"region is {region!r}; write an AWS region such as us-east-1")
        return problems
    if second_zone is None:
        second_zone = f"{region}b" if zone == f"{region}a" else f"{region}a"
    for field, value in (("zone", zone), ("secondZone", second_zone)):
        if not re.match(rf"^{re.escape(region)}[a-z]$", value):
            problems.append(f"{field} is {value!r}; write a zone of {region}, such as {region}a")
    if zone == second_zone:
        problems.append(f"secondZone is {second_zone!r}, the zone of the GPU nodes; name another, EKS needs two")
    return problems or Location(region=region, zone=zone, second_zone=second_zone)
