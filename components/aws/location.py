"""Location of a cluster on AWS: a region, the zone of its GPU nodes, and two zones for its control plane."""

from __future__ import annotations

import re

from gpucluster.catalog.aws_regions import AwsRegion, aws_regions, local_zone, zone_id
from gpucluster.components.did_you_mean import did_you_mean
from gpucluster.components.problem import Problem
from gpucluster.record import record

_ROLE = r"^arn:aws[a-z-]*:iam::(?P<account>\d{12}):role/[\w+=,.@/-]+$"


@record(kw_only=True)
class Location:
    """zone: of the GPU nodes, by a name such as us-east-1a, which can mean different zones in different accounts, or by
    an id such as use1-az4, which is unique. cluster_zones: of control plane and system nodes; the first is that of the
    GPU nodes, if EKS supports it. account: the number of the only account allowed; None for that of the login.
    role: ARN of the role that the login assumes; None for the login itself.
    """

    region: str
    zone: str
    cluster_zones: tuple[str, str]
    account: str | None = None
    role: str | None = None

    @property
    def local_zone(self) -> str | None:
        """The id of the GPU nodes' Local Zone; None in an Availability Zone."""
        return _local_zone_id(self.region, self.zone)

    @property
    def zone_ids(self) -> tuple[str, ...]:
        """The possible ids of the GPU nodes' zone: one if it is known."""
        if not is_zone_id(self.zone) and self.local_zone is None:
            return aws_regions()[self.region].zones
        return (self.local_zone or self.zone,)


def is_zone_id(zone: str) -> bool:
    """Whether it is an id, which ends in a number; a name ends in a letter."""
    return zone[-1:].isdigit()


def _local_zone_id(region: str, zone: str) -> str | None:
    name = local_zone(region, zone)
    return None if name is None else zone_id(region, name)


def parse_location(
    *,
    region: str,
    zone: str | None,
    second_zone: str | None,
    account: str | None = None,
    role: str | None = None,
) -> Location | list[Problem]:
    """The location, or every problem with it in the terms of the stack's configuration.

    zone: None if missing, which is reported elsewhere. The control plane needs two zones (EKS refuses one).
    Without `secondZone` it uses, by name, zone a, or b next to a; by id, the first that EKS supports.
    """
    wrong = [*([] if account is None else _account_problems(account)), *_role_problems(role, account)]
    if region not in aws_regions():
        near = did_you_mean(region, [known for known in aws_regions() if known[:2] == region[:2]], alike=0.8)
        return [*wrong, Problem("region", f"is {region!r}", f"write an AWS region such as us-east-1{near}")]
    if zone is None:
        return wrong
    known = aws_regions()[region]
    problems = [*_unknown(known, "zone", zone), *(_unknown(known, "secondZone", second_zone) if second_zone else [])]
    problems = [*wrong, *(problems or _unfit(known, zone, second_zone))]
    if problems:
        return problems
    zones = _cluster_zones(known, zone, second_zone)
    return Location(region=region, zone=zone, cluster_zones=zones, account=account, role=role)


def _account_problems(account: str) -> list[Problem]:
    if re.fullmatch(r"\d{12}", account):
        return []
    fix = "write the 12 digits of the account, in quotes (`aws sts get-caller-identity --query Account`)"
    return [Problem("account", f"is {account!r}", fix)]


def _role_problems(role: str | None, account: str | None) -> list[Problem]:
    if role is None:
        return []
    found = re.fullmatch(_ROLE, role)
    if found is None:
        return [
            Problem("role", f"is {role!r}", "write the ARN of an IAM role, such as arn:aws:iam::123456789012:role/up")
        ]
    if account is not None and found["account"] != account:
        return [Problem("role", f"is in account {found['account']}, but account is {account}", "name one account")]
    return []


def _unknown(region: AwsRegion, field: str, zone: str) -> list[Problem]:
    """Why it is not a zone of the region. If no source lists the region's zones, any number is accepted."""
    name, by_rule = rf"^{re.escape(region.name)}[a-z]$", rf"^{region.prefix}-az\d$"
    refused = zone in region.without_eks  # which a new account no longer sees
    if re.fullmatch(name, zone) or refused or local_zone(region.name, zone):
        return []
    if re.fullmatch(by_rule, zone) and (zone in region.zones or not region.zones):
        return []
    ids = f", or an id: {', '.join(region.zones)}" if region.zones else f", or an id such as {region.prefix}-az1"
    return [Problem(field, f"is {zone!r}", f"write a zone of {region.name}, such as {region.name}a{ids}")]


def _unfit(region: AwsRegion, zone: str, second: str | None) -> list[Problem]:
    """Why EKS does not accept the second zone together with that of the GPU nodes."""
    if second is None:
        return []
    if second == zone:
        fix = "write another zone: EKS needs two"
        return [Problem("secondZone", f"is {second!r}, the zone of the GPU nodes", fix)]
    if second in region.without_eks or local_zone(region.name, second):
        taken = ", ".join(_candidates(region))
        return [Problem("secondZone", f"is {second!r}, where EKS places no control plane", f"choose one of {taken}")]
    if local_zone(region.name, zone) is None and is_zone_id(zone) != is_zone_id(second):
        why = f"is {second!r} and zone is {zone!r}: the id of a zone name differs between accounts"
        return [Problem("secondZone", why, "write both as names or both as ids")]
    return []


def _candidates(region: AwsRegion) -> list[str]:
    """Zones of a region that EKS supports, by id."""
    zones = region.zones or tuple(f"{region.prefix}-az{number}" for number in (1, 2, 3))
    return [zone for zone in zones if zone not in region.without_eks]


def _cluster_zones(region: AwsRegion, zone: str, second: str | None) -> tuple[str, str]:
    local = local_zone(region.name, zone) is not None
    by_name = not is_zone_id(second or zone) and (second is not None or not local)
    taken = [f"{region.name}{letter}" for letter in "ab"] if by_name else _candidates(region)
    first = next(item for item in taken if item != second) if local or zone in region.without_eks else zone
    return first, second or next(item for item in taken if item not in (first, zone))
