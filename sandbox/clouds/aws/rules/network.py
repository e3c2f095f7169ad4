"""Addresses and zones of subnets.

Source: Amazon EC2 API, CreateSubnet and its error codes.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Network
from typing import Final

from gpucluster.core.catalog.aws_regions import aws_regions
from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule

_SUBNET: Final = "aws:ec2/subnet:Subnet"
_LETTERS: Final = "abcdef"


@rule(_SUBNET)
def subnet_lies_in_its_vpc(managed: ManagedResource) -> None:
    """The VPC exists and its block contains the subnet's."""
    vpc = managed.other("aws:ec2/vpc:Vpc", managed.inputs["vpcId"])
    if vpc is None:
        message = f"The vpc ID '{managed.inputs['vpcId']}' does not exist"
        raise refused(managed, "EC2: CreateSubnet", 400, "InvalidVpcID.NotFound", message)
    block, around = managed.inputs.get("cidrBlock"), vpc.inputs.get("cidrBlock")
    if not block or not around or _has_more_blocks(managed):
        return
    if not IPv4Network(block, strict=False).subnet_of(IPv4Network(around, strict=False)):
        message = f"The CIDR '{block}' is invalid: it is not within '{around}'"
        raise refused(managed, "EC2: CreateSubnet", 400, "InvalidSubnet.Range", message)


@rule(_SUBNET)
def subnet_is_in_a_zone_of_its_region(managed: ManagedResource) -> None:
    """A zone is its region and a letter, with as many letters as zone id numbers; a Local or Wavelength Zone is its
    region and a city.

    Sources: Amazon EC2 user guide, "Regions and Zones"; the words: crossplane-contrib/provider-aws #1048.
    """
    zone, region = managed.inputs.get("availabilityZone"), aws_regions().get(managed.region)
    ids = region.zones if region is not None else ()
    named = [f"{managed.region}{letter}" for letter in _LETTERS[: max((int(id_[-1]) for id_ in ids), default=None)]]
    if zone is not None and zone not in named and not re.fullmatch(rf"{managed.region}-[-a-z0-9]+", str(zone)):
        message = (
            f"Value ({zone}) for parameter availabilityZone is invalid. Subnets can currently only be created in the "
            f"following availability zones: {', '.join(named)}."
        )
        raise refused(managed, "EC2: CreateSubnet", 400, "InvalidParameterValue", message)


@rule(_SUBNET)
def subnets_of_a_vpc_do_not_overlap(managed: ManagedResource) -> None:
    """Two subnets of one VPC share no address; a replacement must delete the old one first."""
    block = managed.inputs.get("cidrBlock")
    if not block:
        return
    for entry in managed.others(_SUBNET, managed.inputs["vpcId"]):
        other = entry.inputs.get("cidrBlock")
        same_vpc = entry.inputs.get("vpcId") == managed.inputs["vpcId"]
        if other and same_vpc and IPv4Network(block, strict=False).overlaps(IPv4Network(other, strict=False)):
            message = f"The CIDR '{block}' conflicts with another subnet"
            raise refused(managed, "EC2: CreateSubnet", 400, "InvalidSubnet.Conflict", message)


def _has_more_blocks(managed: ManagedResource) -> bool:
    vpc = managed.inputs["vpcId"]
    associations = managed.others("aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation", vpc)
    return any(entry.inputs.get("vpcId") == vpc for entry in associations)
