"""A small cluster that writes its inputs in every way the SDK allows."""

from __future__ import annotations

import json
from pathlib import Path

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes

from gpucluster.core.program.readers.running import watch

watched = watch()


class Pool(pulumi.ComponentResource):
    """Nodes of one kind: argument objects, plain dicts, and outputs of the outer program."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        facts = {
            "trainingGpus": 32,
            "durationDays": 14.0,
            "outsideTraining": ["elastic"],
            "budget": {"monthly": "250000", "currency": "USD", "onExceed": "fail"},
            "notBuilt": ["MIG pool: 2 nodes"],
        }
        super().__init__("example:index:Pool", name, facts, opts)
        here = pulumi.ResourceOptions(parent=self)
        template = aws.ec2.LaunchTemplate(
            f"{name}-template",
            name="train-template",
            instance_type="p5.48xlarge",
            block_device_mappings=[
                {"device_name": "/dev/xvda", "ebs": {"volume_size": 500, "volume_type": "gp3", "iops": 6000}}
            ],
            network_interfaces=[
                aws.ec2.LaunchTemplateNetworkInterfaceArgs(
                    network_card_index=0, device_index=0, interface_type="interface", security_groups=[fabric.id]
                )
            ],
            user_data=pulumi.Output.concat("cluster=", cluster.endpoint),
            tags={"snake_case_key": "kept"},
            opts=here,
        )
        self.nodes = aws.eks.NodeGroup(
            f"{name}-nodes",
            cluster_name=cluster.name,
            node_group_name="train-nodes",
            node_role_arn=role.arn,
            scaling_config=aws.eks.NodeGroupScalingConfigArgs(desired_size=5, max_size=5, min_size=5),
            subnet_ids=[subnet.id],
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            opts=here,
        )
        self.register_outputs(facts)


class Elastic(pulumi.ComponentResource):
    """An autoscaled pool, made through the Kubernetes provider."""

    def __init__(self, name: str, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("example:index:Elastic", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        node_class = kubernetes.apiextensions.CustomResource(
            f"{name}-class",
            api_version="karpenter.k8s.aws/v1",
            kind="EC2NodeClass",
            metadata={"name": "elastic"},
            spec={
                "role": role.name,
                "blockDeviceMappings": [{"deviceName": "/dev/xvda", "ebs": {"volumeSize": "200Gi"}}],
            },
            opts=here,
        )
        kubernetes.apiextensions.CustomResource(
            f"{name}-pool",
            api_version="karpenter.sh/v1",
            kind="NodePool",
            metadata=kubernetes.meta.v1.ObjectMetaArgs(
                name="elastic", annotations={"gpucluster/expected-gpus": "2"}, labels={"some_label": "kept"}
            ),
            spec={
                "limits": {"nvidia.com/gpu": "8"},
                "template": {
                    "spec": {
                        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "elastic"},
                        "requirements": [
                            {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
                            {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                        ],
                    }
                },
            },
            opts=pulumi.ResourceOptions(parent=self, depends_on=[node_class]),
        )
        self.register_outputs({})


vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16", enable_dns_hostnames=True)
subnet = aws.ec2.Subnet("subnet", vpc_id=vpc.id, cidr_block="10.0.0.0/24", availability_zone="us-east-1a")
other = aws.ec2.Subnet("other", vpc_id=vpc.id, cidr_block="10.0.1.0/24", availability_zone="us-east-1b")
address = aws.ec2.Eip("address", domain="vpc")
aws.ec2.NatGateway("nat", subnet_id=subnet.id, allocation_id=address.allocation_id)
fabric = aws.ec2.SecurityGroup("fabric", name="fabric", vpc_id=vpc.id, description="self")
role = aws.iam.Role(
    "role",
    name="nodes",
    assume_role_policy=pulumi.Output.json_dumps({"Statement": [{"Resource": vpc.arn}]}),
)
key = aws.kms.Key("key", description="disks")
queue = aws.sqs.Queue("queue", name="interruptions", kms_master_key_id=key.key_id)
logs = aws.cloudwatch.LogGroup("logs", name="/example", retention_in_days=7)
cluster = aws.eks.Cluster(
    "cluster",
    name="example",
    role_arn=role.arn,
    version="1.35",
    vpc_config=aws.eks.ClusterVpcConfigArgs(subnet_ids=[subnet.id, other.id], endpoint_private_access=True),
    upgrade_policy={"support_type": "STANDARD"},
)
aws.fsx.LustreFileSystem(
    "shared",
    subnet_ids=subnet.id,
    deployment_type="PERSISTENT_2",
    storage_capacity=26400,
    per_unit_storage_throughput=125,
)
aws.ec2.VpcEndpoint(
    "ecr",
    vpc_id=vpc.id,
    service_name="com.amazonaws.us-east-1.ecr.api",
    vpc_endpoint_type="Interface",
    subnet_ids=[subnet.id],
)
west = aws.Provider("west", region="us-west-2")
aws.ebs.Volume(
    "far",
    availability_zone="us-west-2a",
    size=100,
    type="gp3",
    opts=pulumi.ResourceOptions(provider=west),
)
Pool("train")
in_cluster = kubernetes.Provider(
    "in-cluster",
    kubeconfig=pulumi.Output.all(cluster.name, cluster.endpoint).apply(
        lambda known: json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": known[0],
                "contexts": [{"name": known[0], "context": {"cluster": known[0], "user": known[0]}}],
                "clusters": [{"name": known[0], "cluster": {"server": known[1]}}],
                "users": [{"name": known[0], "user": {}}],
            }
        )
    ),
)
Elastic("elastic", opts=pulumi.ResourceOptions(providers=[in_cluster]))

seen = pulumi.Config().get("seen")
if seen:  # the tests ask for what `watch` saw, to hold it against the plan of the same run
    fields = ("urn", "type", "name", "inputs", "custom", "parent", "provider", "dependencies")
    found = [{field: getattr(resource, field) for field in fields} for resource in watched.resources()]
    Path(seen).write_text(json.dumps(found, default=lambda unknown: {"unknown": unknown.value}))
