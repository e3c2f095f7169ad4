"""Interface endpoints: AWS services inside the network, for clusters that don't reach them over the internet."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi
from pulumi_aws import ec2, vpc

from gpucluster.components.aws.partition import endpoint_service


def interface_endpoints(
    name: str,
    services: Sequence[str],
    *,
    vpc_id: pulumi.Input[str],
    vpc_cidr: str,
    region: str,
    subnet_ids: Sequence[pulumi.Input[str]],
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """One endpoint for each service, by its usual name, in each subnet; open to the network on 443.

    subnet_ids: one in each zone. Each is billed by the hour.
    """
    group = ec2.SecurityGroup(
        f"{name}-group",
        vpc_id=vpc_id,
        description="Interface endpoints of AWS services",
        opts=opts,
    )
    inside = vpc.SecurityGroupIngressRule(
        f"{name}-group-in",
        security_group_id=group.id,
        cidr_ipv4=vpc_cidr,
        ip_protocol="tcp",
        from_port=443,
        to_port=443,
        description="HTTPS from the network",
        opts=opts,
    )
    made: list[pulumi.Resource] = [inside]
    for service in services:
        full = f"{name}-{service.replace('.', '-')}"
        made.append(
            ec2.VpcEndpoint(
                full,
                vpc_id=vpc_id,
                service_name=endpoint_service(region, service),
                vpc_endpoint_type="Interface",
                subnet_ids=list(subnet_ids),
                security_group_ids=[group.id],
                private_dns_enabled=True,
                opts=opts,
            )
        )
    return made
