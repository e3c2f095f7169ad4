"""Interface endpoints.

Sources: Amazon EC2 API, CreateVpcEndpoint (its errors and `PrivateDnsEnabled`); AWS PrivateLink guide, "Access an AWS
service using an interface VPC endpoint".
"""

from __future__ import annotations

from typing import Final

from gpucluster.core.text.type_guards import items
from gpucluster.sandbox.clouds.aws.model import ManagedResource
from gpucluster.sandbox.clouds.aws.rules.rule import refused, rule
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
