"""A component with a resource of the type KIND, which the tests replace."""

import pulumi
import pulumi_aws
import pulumi_gcp

from gpucluster.components.resources.failures import Failures

part = pulumi.ComponentResource("test:index:Part", "part", {}, Failures().of(None))
here = pulumi.ResourceOptions(parent=part)
vpc = pulumi_aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16", opts=here)
subnets = [
    pulumi_aws.ec2.Subnet(
        f"subnet-{at}", vpc_id=vpc.id, cidr_block=f"10.0.{at}.0/24", availability_zone=f"us-east-1{'ab'[at]}", opts=here
    )
    for at in range(2)
]
KIND = "aws:ec2/natGateway:NatGateway"
if KIND == "aws:ec2/natGateway:NatGateway":
    address = pulumi_aws.ec2.Eip("address", domain="vpc", opts=here)
    pulumi_aws.ec2.NatGateway("made", subnet_id=subnets[0].id, allocation_id=address.id, opts=here)
elif KIND == "aws:fsx/lustreFileSystem:LustreFileSystem":
    pulumi_aws.fsx.LustreFileSystem(
        "made",
        subnet_ids=subnets[0].id,
        storage_capacity=1200,
        deployment_type="PERSISTENT_2",
        per_unit_storage_throughput=125,
        opts=here,
    )
elif KIND == "gcp:container/cluster:Cluster":
    network = pulumi_gcp.compute.Network("network", auto_create_subnetworks=True, opts=here)
    pulumi_gcp.container.Cluster(
        "made", location="us-central1", network=network.id, initial_node_count=1, deletion_protection=False, opts=here
    )
else:
    eks = pulumi_aws.eks.Cluster(
        "made" if "cluster" in KIND else "eks",
        role_arn="arn:aws:iam::123456789012:role/eks",
        vpc_config={"subnet_ids": [subnet.id for subnet in subnets]},
        opts=here,
    )
    if "addon" in KIND:
        first = pulumi.ResourceOptions.merge(here, pulumi.ResourceOptions(delete_before_replace=True))
        pulumi_aws.eks.Addon("made", cluster_name=eks.name, addon_name="vpc-cni", opts=first)
