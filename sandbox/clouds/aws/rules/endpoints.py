"""Interface endpoints.

Sources: Amazon EC2 API, CreateVpcEndpoint (its errors and `PrivateDnsEnabled`); AWS PrivateLink guide, "Access an AWS
service using an interface VPC endpoint".
"""

from __future__ import annotations

from typing import Final

from gpucluster.sandbox.clouds.aws.model import Thing
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule
from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.type_guards import items

__all__: list[str] = []

_ENDPOINT: Final = "aws:ec2/vpcEndpoint:VpcEndpoint"


@rule(_ENDPOINT)
def one_subnet_in_each_zone(thing: Thing) -> None:
    """An interface endpoint takes one subnet in each zone."""
    subnets = [thing.other("aws:ec2/subnet:Subnet", id_) for id_ in items(thing.inputs.get("subnetIds"))]
    zones = [subnet.outputs["availabilityZone"] for subnet in subnets if subnet is not None]
    if len(set(zones)) < len(zones):
        message = "Found another VPC endpoint subnet in the availability zone of a subnet of this request"
        raise _refused(thing, "DuplicateSubnetsInSameZone", message)


@rule(_ENDPOINT)
def private_names_need_names_in_the_vpc(thing: Thing) -> None:
    """Private DNS names resolve only where the VPC has DNS support and DNS hostnames."""
    vpc = thing.other("aws:ec2/vpc:Vpc", thing.inputs["vpcId"])
    if not thing.inputs.get("privateDnsEnabled") or vpc is None:
        return
    if vpc.inputs.get("enableDnsSupport") is False or not vpc.inputs.get("enableDnsHostnames"):
        message = (
            "Enabling private DNS requires both enableDnsSupport and enableDnsHostnames VPC attributes set to true "
            f"for {vpc.id}"
        )
        raise _refused(thing, "InvalidParameter", message)


@rule(_ENDPOINT)
def private_name_is_taken_once(thing: Thing) -> None:
    """Two endpoints of one service in a VPC can't both have its private name."""
    if not thing.inputs.get("privateDnsEnabled"):
        return
    wanted = (thing.inputs["vpcId"], thing.inputs.get("serviceName"), True)
    for entry in thing.others(_ENDPOINT, wanted[0]):
        found = (entry.inputs["vpcId"], entry.inputs.get("serviceName"), entry.inputs.get("privateDnsEnabled"))
        if found == wanted:
            message = (
                f"private-dns-enabled cannot be set because there is already a conflicting DNS domain for {wanted[1]}"
            )
            raise _refused(thing, "InvalidParameter", message)


def _refused(thing: Thing, code: str, message: str) -> CloudError:
    return refused(thing, "EC2: CreateVpcEndpoint", 400, code, message)
