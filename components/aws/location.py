"""Where a cluster on AWS stands: a region, the zone of its GPU nodes, and a second zone for the control plane."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.problem import Problem

__all__ = ["REGIONS", "Location", "parse_location"]

REGIONS = tuple(
    f"{area}-{place}"
    for area, places in {
        "us": "east-1 east-2 west-1 west-2 gov-east-1 gov-west-1",
        "ca": "central-1 west-1",
        "mx": "central-1",
        "sa": "east-1",
        "eu": "central-1 central-2 north-1 south-1 south-2 west-1 west-2 west-3",
        "ap": "east-1 east-2 northeast-1 northeast-2 northeast-3 south-1 south-2 southeast-1 southeast-2 southeast-3 "
        "southeast-4 southeast-5 southeast-6 southeast-7",
        "af": "south-1",
        "il": "central-1",
        "me": "central-1 south-1",
        "cn": "north-1 northwest-1",
    }.items()
    for place in places.split()
)
"""Those of the partitions that `components.aws.partition` knows. Source: pulumi-aws v7.51.1, its enum `Region`."""


@dataclass(frozen=True, kw_only=True)
class Location:
    """Zones are names such as us-east-1a, which differ between accounts; a zone id such as use1-az4 does not."""

    region: str
    zone: str
    second_zone: str


def parse_location(*, region: str, zone: str | None, second_zone: str | None) -> Location | list[Problem]:
    """The location, or every problem with it in the words of the stack's configuration.

    zone: None where it is missing, which is reported elsewhere. The control plane needs two zones (EKS refuses one).
    Without `secondZone` it takes zone a, or b beside a.
    """
    if region not in REGIONS:
        near = did_you_mean(region, [known for known in REGIONS if known[:2] == region[:2]], alike=0.8)
        return [Problem("region", f"is {region!r}", f"write an AWS region such as us-east-1{near}")]
    if zone is None:
        return []
    if second_zone is None:
        second_zone = f"{region}b" if zone == f"{region}a" else f"{region}a"
    problems: list[Problem] = []
    for field, value in (("zone", zone), ("secondZone", second_zone)):
        if not re.match(rf"^{re.escape(region)}[a-z]$", value):
            problems.append(Problem(field, f"is {value!r}", f"write a zone of {region}, such as {region}a"))
    if zone == second_zone:
        problems.append(
            Problem("secondZone", f"is {second_zone!r}, the zone of the GPU nodes", "name another, EKS needs two")
        )
    return problems or Location(region=region, zone=zone, second_zone=second_zone)
