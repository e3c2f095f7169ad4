"""Subnets, interface endpoints, and the network interfaces of a launch template.

Sources: Amazon EC2 API, CreateVpcEndpoint (its errors and `PrivateDnsEnabled`); AWS PrivateLink guide, "Access an AWS
service using an interface VPC endpoint".

Source: Amazon EC2 API, CreateSubnet and its error codes.

Source: Amazon EC2 user guide, "Maximize network bandwidth on Amazon EC2 instances with multiple network cards" and
"EFA: accelerated instance types"; counts from aws/karpenter-provider-aws v1.14.1 `zz_generated.vpclimits.go`. The
catalog has the same data: this separate table judges what is built from the catalog.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any, Final

from gpucluster.core.catalog.aws_regions import aws_regions
from gpucluster.core.text.type_guards import items
from gpucluster.sandbox.clouds.aws.model import ManagedResource, refused, rule
from gpucluster.sandbox.clouds.cloud import CloudError

_ENDPOINT: Final = "aws:ec2/vpcEndpoint:VpcEndpoint"


@rule(_ENDPOINT)
def one_subnet_in_each_zone(managed: ManagedResource) -> None:
    """An interface endpoint has at most one subnet in each zone."""
    subnets = [managed.other("aws:ec2/subnet:Subnet", id_) for id_ in items(managed.inputs.get("subnetIds"))]
    zones = [subnet.outputs["availabilityZone"] for subnet in subnets if subnet is not None]
    if len(set(zones)) < len(zones):
        message = "Found another VPC endpoint subnet in the availability zone of a subnet of this request"
        raise _refused(managed, "DuplicateSubnetsInSameZone", message)


@rule(_ENDPOINT)
def private_names_need_names_in_the_vpc(managed: ManagedResource) -> None:
    """Private DNS names resolve only if the VPC has DNS support and DNS hostnames."""
    vpc = managed.other("aws:ec2/vpc:Vpc", managed.inputs["vpcId"])
    if not managed.inputs.get("privateDnsEnabled") or vpc is None:
        return
    if vpc.inputs.get("enableDnsSupport") is False or not vpc.inputs.get("enableDnsHostnames"):
        message = (
            "Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC attributes set to true "
            f"for {vpc.id}"
        )
        raise _refused(managed, "InvalidParameter", message)


@rule(_ENDPOINT)
def private_name_is_taken_once(managed: ManagedResource) -> None:
    """Two endpoints of one service in a VPC can't both use its private name."""
    if not managed.inputs.get("privateDnsEnabled"):
        return
    wanted = (managed.inputs["vpcId"], managed.inputs.get("serviceName"), True)
    for entry in managed.others(_ENDPOINT, wanted[0]):
        found = (entry.inputs["vpcId"], entry.inputs.get("serviceName"), entry.inputs.get("privateDnsEnabled"))
        if found == wanted:
            message = (
                f"private-dns-enabled cannot be set because there is already a conflicting DNS domain for {wanted[1]}"
            )
            raise _refused(managed, "InvalidParameter", message)


def _refused(managed: ManagedResource, code: str, message: str) -> CloudError:
    return refused(managed, "EC2: CreateVpcEndpoint", 400, code, message)


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

    Sources: Amazon EC2 user guide, "Regions and Zones"; the text: crossplane-contrib/provider-aws #1048.
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


@dataclass(frozen=True)
class _Cards:
    """efa_from: the first card that supports EFA; those after it do, too."""

    cards: int
    interfaces_per_card: int
    efa_from: int = 0


CARDS: Final = {
    "p5.48xlarge": _Cards(cards=32, interfaces_per_card=2),
    "p5e.48xlarge": _Cards(cards=32, interfaces_per_card=2),
    "p5en.48xlarge": _Cards(cards=16, interfaces_per_card=4),
    "p5.4xlarge": _Cards(cards=1, interfaces_per_card=4),
    "p4d.24xlarge": _Cards(cards=4, interfaces_per_card=15),
    "p4de.24xlarge": _Cards(cards=4, interfaces_per_card=15),
    "p6-b200.48xlarge": _Cards(cards=8, interfaces_per_card=4),
    "p6-b300.48xlarge": _Cards(cards=17, interfaces_per_card=4, efa_from=1),
}
_EFA: Final = ("efa", "efa-only")


@rule("aws:ec2/launchTemplate:LaunchTemplate")
def interfaces_fit_the_cards(managed: ManagedResource) -> None:
    """Each (card, device) once, the primary one with an IP address, at most one EFA per card, all on existing cards."""
    interfaces = items(managed.inputs.get("networkInterfaces"))
    instance_type = managed.inputs.get("instanceType")
    if instance_type not in CARDS or not interfaces:
        return
    limits = CARDS[instance_type]
    places = [_place(interface) for interface in interfaces]
    for card, device in places:
        if card >= limits.cards or places.count((card, device)) > 1:
            reason = (
                "is used twice"
                if card < limits.cards
                else f"does not exist; {instance_type} has cards 0 to {limits.cards - 1}"
            )
            raise _network_interfaces_refused(managed, f"network card index {card}, device index {device} {reason}")
    for card in {card for card, _ in places}:
        if sum(other == card for other, _ in places) > limits.interfaces_per_card:
            raise _network_interfaces_refused(
                managed, f"network card {card} of {instance_type} takes {limits.interfaces_per_card} interfaces"
            )
        on_card = [interface for interface in interfaces if _place(interface)[0] == card]
        adapters = sum(interface.get("interfaceType") in _EFA for interface in on_card)
        if adapters > 1:
            raise _network_interfaces_refused(managed, f"network card {card} has more than one Elastic Fabric Adapter")
        if adapters and card < limits.efa_from:
            raise _network_interfaces_refused(managed, f"network card {card} of {instance_type} does not support EFA")
    primary = next((interface for interface in interfaces if _place(interface) == (0, 0)), None)
    if primary is None or primary.get("interfaceType") == "efa-only":
        raise _network_interfaces_refused(
            managed, "the primary interface (card 0, device 0) must be of type 'interface' or 'efa'"
        )


def _place(interface: Mapping[str, Any]) -> tuple[int, int]:
    return int(interface.get("networkCardIndex") or 0), int(interface.get("deviceIndex") or 0)


def _network_interfaces_refused(managed: ManagedResource, message: str) -> Exception:
    return refused(managed, "EC2: CreateLaunchTemplate", 400, "InvalidParameterCombination", message)
