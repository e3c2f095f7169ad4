"""Location of a cluster on AWS: a region and its partition, the zone of its GPU nodes, and two zones for its control
plane.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo, computed_field, field_validator

from gpucluster.components.planning.problem import BadSpecValue, Keys, Problem, did_you_mean
from gpucluster.core.catalog.aws_regions import AwsRegion, aws_regions, local_zone, zone_id

_ROLE = r"^arn:aws[a-z-]*:iam::[0-9]{12}:role/[\w+=,.@/-]+$"


def is_zone_id(zone: str) -> bool:
    """Whether it is an id, which ends in a number; a name ends in a letter."""
    return zone[-1:].isdigit()


def _local_zone_id(region: str, zone: str) -> str | None:
    name = local_zone(region, zone)
    return None if name is None else zone_id(region, name)


def _region(value: str) -> str:
    if value not in aws_regions():
        near = did_you_mean(value, [known for known in aws_regions() if known[:2] == value[:2]], alike=0.8)
        raise ValueError(f"write an AWS region such as us-east-1{near}")
    return value


class Location(Keys):
    """zone: of the GPU nodes, by a name such as us-east-1a, which can mean different zones in different accounts, or by
    an id such as use1-az4, which is unique. account: the number of the only account allowed, None for that of the
    login. role: ARN of the role that the login assumes, None for the login itself.
    """

    region: Annotated[str, AfterValidator(_region)]
    zone: str
    second_zone: str | None = None
    account: str | None = Field(
        default=None,
        pattern="^[0-9]{12}$",
        description="write the 12 digits of the account, in quotes (`aws sts get-caller-identity --query Account`)",
    )
    role: str | None = Field(
        default=None,
        pattern=_ROLE,
        description="write the ARN of an IAM role, such as arn:aws:iam::123456789012:role/up",
    )

    @field_validator("zone", "second_zone")
    @classmethod
    def _zone(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None or "region" not in info.data:
            return value
        region, zone = aws_regions()[info.data["region"]], info.data.get("zone")
        _check_zone(region, value)
        if info.field_name == "second_zone" and zone is not None:
            _check_second(region, zone, value)
        return value

    @field_validator("role")
    @classmethod
    def _one_account(cls, value: str | None, info: ValidationInfo) -> str | None:
        account, owner = info.data.get("account"), "" if value is None else value.split(":")[4]
        if value is not None and account is not None and account != owner:
            seen = f"is in account {owner}, but account is {account}"
            raise BadSpecValue([Problem("role", seen, "name one account")])
        return value

    @computed_field
    @property
    def cluster_zones(self) -> tuple[str, str]:
        """Of the control plane, for which EKS needs two, and of system nodes. The first is that of the GPU nodes, if
        EKS supports it. Without `second_zone`, the other is by name zone a, or b next to a; by id the first that EKS
        supports.
        """
        return _cluster_zones(aws_regions()[self.region], self.zone, self.second_zone)

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


def _check_zone(region: AwsRegion, zone: str) -> None:
    """Raises ValueError if it is not a zone of the region. Without a list of its zones, any number is accepted."""
    name, by_rule = rf"^{re.escape(region.name)}[a-z]$", rf"^{region.prefix}-az\d$"
    refused = zone in region.without_eks  # which a new account no longer sees
    by_id = re.fullmatch(by_rule, zone) and (zone in region.zones or not region.zones)
    if not (re.fullmatch(name, zone) or refused or local_zone(region.name, zone) or by_id):
        ids = f"an id: {', '.join(region.zones)}" if region.zones else f"an id such as {region.prefix}-az1"
        raise ValueError(f"write a zone of {region.name}, such as {region.name}a, or {ids}")


def _check_second(region: AwsRegion, zone: str, second: str) -> None:
    """Raises ValueError if EKS does not accept the second zone together with that of the GPU nodes."""
    seen, fix = "", ""
    if second == zone:
        seen, fix = ", the zone of the GPU nodes", "write another zone: EKS needs two"
    elif second in region.without_eks or local_zone(region.name, second):
        seen, fix = ", where EKS places no control plane", f"choose one of {', '.join(_candidates(region))}"
    elif local_zone(region.name, zone) is None and is_zone_id(zone) != is_zone_id(second):
        seen = f" and zone is {zone!r}: the id of a zone name differs between accounts"
        fix = "write both as names or both as ids"
    if fix:
        raise BadSpecValue([Problem("secondZone", f"is {second!r}{seen}", fix)])


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


# Interface endpoints with a separate prefix in China. Source: aws/aws-cdk, aws-ec2/lib/vpc-endpoint.ts.
_CHINESE = frozenset({"ec2", "ecr.api", "ecr.dkr", "eks", "monitoring", "sqs", "sts"})


# Account of EKS' image registry. Source: Amazon EKS user guide, add-ons-images.
_REGISTRIES = {"us-gov-east-1": "151742754352", "us-gov-west-1": "013241004608"}


def partition(region: str) -> str:
    """The second part of the ARNs of a region."""
    if region.startswith("cn-"):
        return "aws-cn"
    return "aws-us-gov" if region.startswith("us-gov-") else "aws"


def addon_registry(region: str) -> str | None:
    """Registry for AWS' charts in a partition that can't pull from the registry in their values."""
    account = _REGISTRIES.get(region)
    return None if account is None else f"{account}.dkr.ecr.{region}.amazonaws.com"


def console(region: str) -> str:
    """Host of the console. Source: hosts of AWS' own documentation of each partition, "Getting started"."""
    return {"aws-us-gov": "console.amazonaws-us-gov.com", "aws-cn": "console.amazonaws.cn"}.get(
        partition(region), "console.aws.amazon.com"
    )


def ec2_principal(region: str) -> str:
    """EC2 in trust policies. EKS requires this name in China, although its own principal there is the usual one.

    Source: awslabs/cdk-eks-blueprints issue 558, terraform-aws-modules/terraform-aws-eks issues 1904 and 3636.
    """
    return "ec2.amazonaws.com.cn" if partition(region) == "aws-cn" else "ec2.amazonaws.com"


def endpoint_service(region: str, service: str) -> str:
    """The full name of a service's interface endpoint."""
    chinese = partition(region) == "aws-cn" and service in _CHINESE
    return f"{'cn.com.amazonaws' if chinese else 'com.amazonaws'}.{region}.{service}"
