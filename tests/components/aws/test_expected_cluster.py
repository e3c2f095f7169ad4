"""What a cluster on AWS registers in its account.

Drafted from what the program registered once, so it holds changes rather than truths: what AWS takes is judged by
tests/judges. Long texts are `ANY` here and held by the tests of their own modules: user data, rules of alerts, what the
collector reads, who may fill the queue of interruptions. What stands inside the cluster is in
`test_expected_objects.py`.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
import yaml
from pulumi.runtime.mocks import MockResourceArgs

from tests.components.aws.node_repair import REPAIR

ROOT = Path(__file__).parents[3]
Register = Callable[..., dict[str, MockResourceArgs]]
Item = tuple[str, str, dict[str, Any]]
MOCK = "arn:aws:mock:us-east-1:000000000000:"
ADMIN = "arn:aws:iam::123456789012:role/ops/platform-admin"
CLUSTER = "trial-aws-trial"
SPEC_LABELS = {
    "team": "research",
    "project": "foundation-model",
    "cost-center": "cc-1234",
    "environment": "trial",
    "owner": "ml-platform",
}
NODE_LABELS = {**SPEC_LABELS, "pulumi-project": "gpucluster", "pulumi-stack": "aws-trial"}
TAGS = {**NODE_LABELS, "managed-by": "pulumi"}
# As `aws eks describe-addon-versions --kubernetes-version 1.35` tells.
ADDONS = {
    "aws-ebs-csi-driver": "v1.65.0-eksbuild.1",
    "aws-fsx-csi-driver": "v1.9.0-eksbuild.1",
    "coredns": "v1.13.2-eksbuild.21",
    "eks-node-monitoring-agent": "v1.6.4-eksbuild.1",
    "eks-pod-identity-agent": "v1.3.10-eksbuild.3",
    "kube-proxy": "v1.35.3-eksbuild.21",
    "vpc-cni": "v1.22.4-eksbuild.3",
}
VPC = "trial-network-vpc-id"
CLUSTER_SUBNETS = ["trial-network-cluster-a-id", "trial-network-cluster-b-id"]


def whole(args: MockResourceArgs) -> Item:
    """Type, name and inputs, policies as data."""
    inputs = dict(args.inputs)
    for key in ("policy", "assumeRolePolicy"):
        if key in inputs:
            inputs[key] = json.loads(inputs[key])
    return args.typ, args.name, inputs


def compare(seen: dict[str, MockResourceArgs], expected: list[Item]) -> None:
    assert [whole(seen[name]) for _, name, _ in expected] == expected


def bare(typ: str, name: str, /, **inputs: Any) -> Item:
    """What takes no tags."""
    return f"aws:{typ}", f"trial-{name}", inputs


def tagged(typ: str, name: str, /, *, more: dict[str, str] | None = None, **inputs: Any) -> Item:
    """A resource that bears the labels of the cluster, and `more`."""
    return bare(typ, name, tags={**TAGS, "Name": f"trial-{name}", **(more or {})}, **inputs)


def document(*statements: dict[str, Any]) -> dict[str, Any]:
    return {"Version": "2012-10-17", "Statement": list(statements)}


def allow(*actions: str, on: str | list[str] = "*", **conditions: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {"Effect": "Allow", "Action": list(actions), "Resource": on}
    names = {"equal": "StringEquals", "like": "StringLike", "if_there": "StringEqualsIfExists"}
    names["all_equal"] = "ForAllValues:StringEquals"
    return found | ({"Condition": {names[key]: value for key, value in conditions.items()}} if conditions else {})


def role(name: str, service: str, *actions: str) -> Item:
    trust = {"Effect": "Allow", "Principal": {"Service": service}, "Action": list(actions or ("sts:AssumeRole",))}
    return tagged("iam/role:Role", name, assumeRolePolicy=document(trust))


def attached(name: str, to: str, policy: str) -> Item:
    return bare("iam/rolePolicyAttachment:RolePolicyAttachment", name, role=f"trial-{to}", policyArn=policy)


def aws_policy(name: str, to: str, policy: str) -> Item:
    return attached(name, to, f"arn:aws:iam::aws:policy/{policy}")


def inline(name: str, to: str, *statements: dict[str, Any]) -> Item:
    return bare("iam/rolePolicy:RolePolicy", name, role=f"trial-{to}", policy=document(*statements))


def pod_role(name: str, account: str) -> list[Item]:
    """A role that the pods of a service account take."""
    return [
        role(name, "pods.eks.amazonaws.com", "sts:AssumeRole", "sts:TagSession"),
        tagged(
            "eks/podIdentityAssociation:PodIdentityAssociation",
            f"{name}-association",
            clusterName=CLUSTER,
            namespace="kube-system",
            serviceAccount=account,
            roleArn=f"{MOCK}trial-{name}",
        ),
    ]


def node_role(name: str) -> list[Item]:
    return [
        role(name, "ec2.amazonaws.com"),
        aws_policy(f"{name}-worker", name, "AmazonEKSWorkerNodePolicy"),
        aws_policy(f"{name}-cni", name, "AmazonEKS_CNI_Policy"),
        aws_policy(f"{name}-registry", name, "AmazonEC2ContainerRegistryPullOnly"),
        aws_policy(f"{name}-ssm", name, "AmazonSSMManagedInstanceCore"),
    ]


def addon(name: str, chosen: str, **inputs: Any) -> Item:
    return tagged(
        "eks/addon:Addon",
        name,
        addonName=chosen,
        addonVersion=ADDONS[chosen],
        clusterName=CLUSTER,
        resolveConflictsOnCreate="OVERWRITE",
        resolveConflictsOnUpdate="PRESERVE",
        **inputs,
    )


def logs(name: str, days: int, /, **inputs: Any) -> Item:
    return tagged("cloudwatch/logGroup:LogGroup", name, retentionInDays=days, **inputs)


CONTROL_PLANE = [
    tagged(
        "kms/key:Key",
        "control-plane-secrets",
        description="Kubernetes secrets of one EKS cluster",
        enableKeyRotation=True,
        deletionWindowInDays=30,
    ),
    role("control-plane-role", "eks.amazonaws.com"),
    aws_policy("control-plane-role-cluster", "control-plane-role", "AmazonEKSClusterPolicy"),
    inline(
        "control-plane-secrets-use",
        "control-plane-role",
        allow(
            "kms:Encrypt", "kms:Decrypt", "kms:ListGrants", "kms:DescribeKey", on=f"{MOCK}trial-control-plane-secrets"
        ),
    ),
    logs("control-plane-logs", 90, name=f"/aws/eks/{CLUSTER}/cluster"),
    tagged(
        "eks/cluster:Cluster",
        "control-plane-cluster",
        name=CLUSTER,
        version="1.35",
        roleArn=f"{MOCK}trial-control-plane-role",
        upgradePolicy={"supportType": "STANDARD"},
        vpcConfig={
            "subnetIds": CLUSTER_SUBNETS,
            "endpointPrivateAccess": True,
            "endpointPublicAccess": True,
            "publicAccessCidrs": ["203.0.113.0/24"],
        },
        encryptionConfig={"provider": {"keyArn": f"{MOCK}trial-control-plane-secrets"}, "resources": ["secrets"]},
        accessConfig={"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True},
        bootstrapSelfManagedAddons=False,
        enabledClusterLogTypes=["api", "audit", "authenticator"],
    ),
    addon(
        "control-plane-vpc-cni",
        "vpc-cni",
        configurationValues='{"env": {"ENABLE_PREFIX_DELEGATION": "true"}, "enableNetworkPolicy": "true"}',
    ),
    addon("control-plane-kube-proxy", "kube-proxy"),
    addon("control-plane-pod-identity", "eks-pod-identity-agent"),
    addon(
        "system-coredns",
        "coredns",
        configurationValues='{"autoScaling": {"enabled": true, "minReplicas": 2, "maxReplicas": 10}}',
    ),
    addon("system-node-monitoring", "eks-node-monitoring-agent"),
    addon(
        "block-storage-driver",
        "aws-ebs-csi-driver",
        configurationValues=json.dumps({"controller": {"extraVolumeTags": dict(sorted(TAGS.items()))}}),
    ),
    *pod_role("block-storage-role", "ebs-csi-controller-sa"),
    aws_policy("block-storage-role-policy", "block-storage-role", "service-role/AmazonEBSCSIDriverPolicy"),
]


def subnet(name: str, zone: str, cidr: str, routes: str, **more: str) -> list[Item]:
    return [
        tagged(
            "ec2/subnet:Subnet",
            f"network-{name}",
            vpcId=VPC,
            availabilityZone=zone,
            cidrBlock=cidr,
            mapPublicIpOnLaunch=False,
            more={f"kubernetes.io/role/{key.replace('_', '-')}": value for key, value in more.items()},
        ),
        bare(
            "ec2/routeTableAssociation:RouteTableAssociation",
            f"network-{name}-route",
            subnetId=f"trial-network-{name}-id",
            routeTableId=f"trial-network-{routes}-routes-id",
        ),
    ]


def way_out(routes: str, **through: str) -> list[Item]:
    table = f"network-{routes}-routes"
    return [
        tagged("ec2/routeTable:RouteTable", table, vpcId=VPC),
        bare(
            "ec2/route:Route",
            f"network-{routes}-out",
            routeTableId=f"trial-{table}-id",
            destinationCidrBlock="0.0.0.0/0",
            **through,
        ),
    ]


NETWORK = [
    tagged("ec2/vpc:Vpc", "network-vpc", cidrBlock="10.0.0.0/16", enableDnsHostnames=True, enableDnsSupport=True),
    *subnet("cluster-a", "us-east-1a", "10.0.0.0/20", "private"),
    *subnet("cluster-b", "us-east-1b", "10.0.16.0/20", "private"),
    *subnet("gpu", "us-east-1a", "10.0.128.0/17", "private", internal_elb="1"),
    *subnet("public", "us-east-1a", "10.0.32.0/24", "public", elb="1"),
    *way_out("private", natGatewayId="trial-network-nat-id"),
    *way_out("public", gatewayId="trial-network-internet-id"),
    tagged("ec2/internetGateway:InternetGateway", "network-internet", vpcId=VPC),
    tagged("ec2/eip:Eip", "network-nat-address", domain="vpc"),
    tagged(
        "ec2/natGateway:NatGateway",
        "network-nat",
        allocationId="trial-network-nat-address-id",
        subnetId="trial-network-public-id",
    ),
    tagged(
        "ec2/vpcEndpoint:VpcEndpoint",
        "network-s3",
        vpcId=VPC,
        serviceName="com.amazonaws.us-east-1.s3",
        vpcEndpointType="Gateway",
        routeTableIds=["trial-network-private-routes-id"],
    ),
    logs("network-flow-logs-group", 30),
    tagged(
        "iam/role:Role",
        "network-flow-logs-role",
        assumeRolePolicy=document(
            {
                "Effect": "Allow",
                "Principal": {"Service": "vpc-flow-logs.amazonaws.com"},
                "Action": "sts:AssumeRole",
                "Condition": {
                    "StringEquals": {"aws:SourceAccount": "000000000000"},
                    "ArnLike": {"aws:SourceArn": "arn:aws:ec2:us-east-1:000000000000:vpc-flow-log/*"},
                },
            }
        ),
    ),
    inline(
        "network-flow-logs-role-policy",
        "network-flow-logs-role",
        allow(
            "logs:CreateLogStream",
            "logs:PutLogEvents",
            "logs:DescribeLogStreams",
            on=f"{MOCK}trial-network-flow-logs-group:*",
        ),
        {"Effect": "Allow", "Action": "logs:DescribeLogGroups", "Resource": "*"},
    ),
    tagged(
        "ec2/flowLog:FlowLog",
        "network-flow-logs",
        vpcId=VPC,
        trafficType="ALL",
        logDestinationType="cloud-watch-logs",
        logDestination=f"{MOCK}trial-network-flow-logs-group",
        iamRoleArn=f"{MOCK}trial-network-flow-logs-role",
        maxAggregationInterval=600,
    ),
]


def rule(way: str, name: str, group: str, /, **inputs: Any) -> Item:
    return tagged(f"vpc/securityGroup{way}Rule:SecurityGroup{way}Rule", name, securityGroupId=group, **inputs)


def lustre_rules() -> list[Item]:
    """Servers and clients reach each other on the ports of Lustre (FSx for Lustre, file system access control)."""
    servers = "trial-storage-lustre-id"
    own, clients = {"referencedSecurityGroupId": servers}, {"cidrIpv4": "10.0.0.0/16"}
    found: list[Item] = []
    for first, last in ((988, 988), (1018, 1023)):
        ports = {"ipProtocol": "tcp", "fromPort": first, "toPort": last, "description": "Lustre"}
        found += [
            rule("Ingress", f"storage-lustre-clients-in-{first}", "sg-cluster", **own, **ports),
            rule("Ingress", f"storage-lustre-in-clients-{first}", servers, **clients, **ports),
            rule("Ingress", f"storage-lustre-in-self-{first}", servers, **own, **ports),
            rule("Egress", f"storage-lustre-out-clients-{first}", servers, **clients, **ports),
            rule("Egress", f"storage-lustre-out-self-{first}", servers, **own, **ports),
        ]
    return found


STORAGE = [
    addon("storage-csi", "aws-fsx-csi-driver"),
    *pod_role("storage-csi-role", "fsx-csi-controller-sa"),
    inline("storage-csi-role-policy", "storage-csi-role", allow("fsx:DescribeFileSystems")),
    tagged("ec2/securityGroup:SecurityGroup", "storage-lustre", vpcId=VPC, description="Lustre file servers"),
    *lustre_rules(),
    tagged(
        "fsx/lustreFileSystem:LustreFileSystem",
        "storage-shared",
        deploymentType="PERSISTENT_2",
        fileSystemTypeVersion="2.15",
        storageType="SSD",
        storageCapacity=26400,
        perUnitStorageThroughput=125,
        dataCompressionType="LZ4",
        automaticBackupRetentionDays=0,
        subnetIds="trial-network-gpu-id",
        securityGroupIds=["trial-storage-lustre-id"],
    ),
]


def node_labels(pool: str) -> list[Item]:
    """Instances that a group starts bear the labels of the spec; EKS tags the group alone."""
    return [
        bare(
            "autoscaling/tag:Tag",
            f"{pool}-label-{key}",
            autoscalingGroupName=f"eks-trial-{pool}-nodes",
            tag={"key": key, "value": value, "propagateAtLaunch": True},
        )
        for key, value in SPEC_LABELS.items()
    ]


def template(pool: str, machine: str, root_gib: int, **inputs: Any) -> Item:
    disk = {"encrypted": "true", "deleteOnTermination": "true", "volumeSize": root_gib, "volumeType": "gp3"}
    return tagged(
        "ec2/launchTemplate:LaunchTemplate",
        f"{pool}-template",
        instanceType=machine,
        updateDefaultVersion=True,
        blockDeviceMappings=[{"deviceName": "/dev/xvda", "ebs": disk}],
        # One hop: nodes keep their metadata from pods.
        metadataOptions={"httpEndpoint": "enabled", "httpTokens": "required", "httpPutResponseHopLimit": 1},
        tagSpecifications=[
            {"resourceType": kind, "tags": {**TAGS, "Name": f"trial-{pool}"}}
            for kind in ("instance", "volume", "network-interface")
        ],
        **inputs,
    )


def node_group(pool: str, image: str, count: int, **inputs: Any) -> Item:
    return tagged(
        "eks/nodeGroup:NodeGroup",
        f"{pool}-nodes",
        clusterName=CLUSTER,
        nodeRoleArn=f"{MOCK}trial-{pool}-role",
        amiType=image,
        capacityType="ON_DEMAND",
        launchTemplate={"id": f"trial-{pool}-template-id", "version": "1"},
        scalingConfig={"desiredSize": count, "minSize": count, "maxSize": count},
        **inputs,
    )


def interface(card: int, device: int, kind: str) -> dict[str, Any]:
    return {
        "networkCardIndex": card,
        "deviceIndex": device,
        "interfaceType": kind,
        "deleteOnTermination": "true",
        "securityGroups": ["sg-cluster", "trial-training-efa-id"],
    }


EFA = "trial-training-efa-id"
NODES = [
    *node_role("system-role"),
    *node_labels("system"),
    template("system", "m7i.xlarge", 100),
    node_group(
        "system",
        "AL2023_x86_64_STANDARD",
        2,
        subnetIds=CLUSTER_SUBNETS,
        labels={**NODE_LABELS, "gpucluster/pool": "system"},
        updateConfig={"maxUnavailable": 1},
    ),
    *node_role("training-role"),
    *node_labels("training"),
    tagged("ec2/placementGroup:PlacementGroup", "training-group", strategy="cluster"),
    tagged(
        "ec2/securityGroup:SecurityGroup",
        "training-efa",
        vpcId=VPC,
        description="EFA between the nodes of one training pool",
    ),
    *(
        rule(
            way,
            f"training-efa-{suffix}",
            EFA,
            referencedSecurityGroupId=EFA,
            ipProtocol="-1",
            description="EFA within the pool",
        )
        for way, suffix in (("Ingress", "in"), ("Egress", "out"))
    ),
    rule(
        "Egress",
        "training-efa-internet",
        EFA,
        cidrIpv4="0.0.0.0/0",
        ipProtocol="-1",
        description="Images and APIs",
    ),
    template(
        "training",
        "p5.48xlarge",
        500,
        placement={"groupName": "trial-training-group"},
        networkInterfaces=[
            interface(0, 0, "interface"),
            interface(0, 1, "efa-only"),
            *(interface(card, 0, "efa-only") for card in range(1, 32)),
        ],
        userData=ANY,
    ),
    node_group(
        "training",
        "AL2023_x86_64_NVIDIA",
        5,
        subnetIds=["trial-network-gpu-id"],
        labels={
            **NODE_LABELS,
            "gpucluster/pool": "training",
            "nvidia.com/gpu.present": "true",
            "vpc.amazonaws.com/efa.present": "true",
        },
        taints=[{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}],
        nodeRepairConfig=REPAIR,
        updateConfig={"maxUnavailable": 1, "updateStrategy": "MINIMAL"},
    ),
]

OWNED = {f"kubernetes.io/cluster/{CLUSTER}": "owned"}
REGION = {"topology.kubernetes.io/region": "us-east-1"}
NAMED = {"eks:eks-cluster-name": CLUSTER}
PROFILES = "arn:aws:iam::000000000000:instance-profile/*"
EC2 = "arn:aws:ec2:us-east-1:*:"
LAUNCHED = [
    f"{EC2}{kind}/*"
    for kind in ("fleet", "instance", "volume", "network-interface", "launch-template", "spot-instances-request")
]


def asked(*tags: dict[str, str]) -> dict[str, Any]:
    """Tags of a request."""
    return {f"aws:RequestTag/{key}": value for part in tags for key, value in part.items()}


def there(*tags: dict[str, str]) -> dict[str, Any]:
    """Tags of a resource."""
    return {f"aws:ResourceTag/{key}": value for part in tags for key, value in part.items()}


OF_A_POOL, OF_A_CLASS = {"karpenter.sh/nodepool": "*"}, {"karpenter.k8s.aws/ec2nodeclass": "*"}
# As in Karpenter's own template, narrowed to this cluster: aws/karpenter-provider-aws,
# website/content/en/docs/getting-started/getting-started-with-karpenter/cloudformation.yaml.
CONTROLLER: dict[str, list[dict[str, Any]]] = {
    "eks-integration": [allow("eks:DescribeCluster", on="arn:aws:eks:us-east-1:000000000000:cluster/trial")],
    "iam-integration": [
        allow("iam:PassRole", on=f"{MOCK}trial-elastic-node-role", equal={"iam:PassedToService": "ec2.amazonaws.com"}),
        allow("iam:CreateInstanceProfile", on=PROFILES, equal=asked(OWNED, REGION, NAMED), like=asked(OF_A_CLASS)),
        allow(
            "iam:TagInstanceProfile",
            on=PROFILES,
            equal={**there(OWNED, REGION), **asked(OWNED, REGION, NAMED)},
            like={**there(OF_A_CLASS), **asked(OF_A_CLASS)},
        ),
        allow(
            "iam:AddRoleToInstanceProfile",
            "iam:RemoveRoleFromInstanceProfile",
            "iam:DeleteInstanceProfile",
            on=PROFILES,
            equal=there(OWNED, REGION),
            like=there(OF_A_CLASS),
        ),
    ],
    "interruption": [
        allow(
            "sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage", on=f"{MOCK}trial-elastic-interruption-queue"
        )
    ],
    "node-lifecycle": [
        allow(
            "ec2:RunInstances",
            "ec2:CreateFleet",
            on=[
                "arn:aws:ec2:us-east-1::image/*",
                "arn:aws:ec2:us-east-1::snapshot/*",
                *(f"{EC2}{kind}/*" for kind in ("security-group", "subnet", "capacity-reservation", "placement-group")),
            ],
        ),
        allow(
            "ec2:RunInstances",
            "ec2:CreateFleet",
            on=f"{EC2}launch-template/*",
            equal=there(OWNED),
            like=there(OF_A_POOL),
        ),
        allow(
            "ec2:RunInstances",
            "ec2:CreateFleet",
            "ec2:CreateLaunchTemplate",
            on=LAUNCHED,
            equal=asked(OWNED, NAMED),
            like=asked(OF_A_POOL),
        ),
        allow(
            "ec2:CreateTags",
            on=LAUNCHED,
            equal={
                **asked(OWNED, NAMED),
                "ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"],
            },
            like=asked(OF_A_POOL),
        ),
        allow(
            "ec2:CreateTags",
            on=f"{EC2}instance/*",
            equal=there(OWNED),
            like=there(OF_A_POOL),
            if_there=asked(NAMED),
            all_equal={"aws:TagKeys": ["eks:eks-cluster-name", "karpenter.sh/nodeclaim", "Name"]},
        ),
        allow(
            "ec2:TerminateInstances",
            "ec2:DeleteLaunchTemplate",
            on=[f"{EC2}instance/*", f"{EC2}launch-template/*"],
            equal=there(OWNED),
            like=there(OF_A_POOL),
        ),
    ],
    "resource-discovery": [
        allow(
            *(
                f"ec2:Describe{what}"
                for what in (
                    "CapacityReservations", "Images", "Instances", "InstanceStatus", "InstanceTypeOfferings",
                    "InstanceTypes", "LaunchTemplates", "PlacementGroups", "SecurityGroups", "SpotPriceHistory",
                    "Subnets",
                )
            ),
            equal={"aws:RequestedRegion": "us-east-1"},
        ),
        allow("ssm:GetParameter", on="arn:aws:ssm:us-east-1::parameter/aws/service/*"),
        allow("pricing:GetProducts"),
        allow("iam:ListInstanceProfiles"),
        allow("iam:GetInstanceProfile", on=PROFILES),
    ],
}  # fmt: skip
ELASTIC = [
    *node_role("elastic-node-role"),
    tagged(
        "eks/accessEntry:AccessEntry",
        "elastic-node-access",
        clusterName=CLUSTER,
        principalArn=f"{MOCK}trial-elastic-node-role",
        type="EC2_LINUX",
    ),
    tagged("sqs/queue:Queue", "elastic-interruption-queue", messageRetentionSeconds=300, sqsManagedSseEnabled=True),
    bare("sqs/queuePolicy:QueuePolicy", "elastic-interruption-queue-policy", policy=ANY),
    *(
        item
        for suffix, event in {
            "health": "AWS Health Event",
            "rebalance": "EC2 Instance Rebalance Recommendation",
            "reservation": "EC2 Capacity Reservation Instance Interruption Warning",
            "spot": "EC2 Spot Instance Interruption Warning",
            "state": "EC2 Instance State-change Notification",
        }.items()
        for name in [f"elastic-interruption-{suffix}"]
        for item in (
            tagged("cloudwatch/eventRule:EventRule", name, description=f"{event} for Karpenter", eventPattern=ANY),
            bare(
                "cloudwatch/eventTarget:EventTarget",
                f"{name}-target",
                rule=f"trial-{name}",
                arn=f"{MOCK}trial-elastic-interruption-queue",
                targetId="karpenter",
            ),
        )
    ),
    *pod_role("elastic-karpenter-role", "karpenter"),
    *(
        item
        for suffix, statements in CONTROLLER.items()
        for name in [f"elastic-karpenter-role-{suffix}"]
        for item in (
            tagged("iam/policy:Policy", name, policy=document(*statements)),
            attached(f"{name}-attachment", "elastic-karpenter-role", f"{MOCK}trial-{name}"),
        )
    ),
]


def expiry(chosen: dict[str, Any], days: int) -> dict[str, Any]:
    counted = {**chosen, "countType": "sinceImagePushed", "countUnit": "days", "countNumber": days}
    return {"rules": [{"rulePriority": 1, "selection": counted, "action": {"type": "expire"}}]}


CACHES = {"ecr": "public.ecr.aws", "k8s": "registry.k8s.io", "quay": "quay.io"}
REGISTRY = [
    tagged(
        "ecr/repository:Repository",
        "registry-jobs",
        name="trial-1887/jobs",
        imageTagMutability="IMMUTABLE",
        imageScanningConfiguration={"scanOnPush": True},
        encryptionConfigurations=[{"encryptionType": "AES256"}],
        forceDelete=True,
    ),
    bare(
        "ecr/lifecyclePolicy:LifecyclePolicy",
        "registry-jobs-lifecycle",
        repository="trial-1887/jobs",
        policy=expiry({"tagStatus": "untagged"}, 14),
    ),
    bare(
        "ecr/repositoryCreationTemplate:RepositoryCreationTemplate",
        "registry-template",
        prefix="trial-1887",
        region="us-east-1",
        appliedFors=["PULL_THROUGH_CACHE"],
        description="Copies of public images, for 30 days",
        lifecyclePolicy=json.dumps(expiry({"tagStatus": "any"}, 30)),
    ),
    *(
        bare(
            "ecr/pullThroughCacheRule:PullThroughCacheRule",
            f"registry-cache-{short}",
            ecrRepositoryPrefix=f"trial-1887/{short}",
            upstreamRegistryUrl=upstream,
        )
        for short, upstream in CACHES.items()
    ),
    *(
        inline(
            f"registry-{pool}-caches",
            of,
            allow(
                "ecr:BatchImportUpstreamImage",
                "ecr:CreateRepository",
                on=[f"arn:aws:ecr:us-east-1:000000000000:repository/trial-1887/{short}/*" for short in CACHES],
            ),
        )
        for pool, of in {
            "system": "system-role",
            "training": "training-role",
            "elastic": "elastic-node-role",
        }.items()
    ),
]

OBSERVED = [
    logs("logs-group", 30, name=f"/aws/containerinsights/{CLUSTER}/application"),
    *pod_role("logs-role", "pod-logs"),
    inline(
        "logs-role-policy",
        "logs-role",
        allow("logs:CreateLogStream", "logs:PutLogEvents", on=f"{MOCK}trial-logs-group:*"),
    ),
    tagged(
        "amp/workspace:Workspace",
        "monitoring-workspace",
        alias=CLUSTER,
        more={"AMPAgentlessScraper": "", "gpucluster/expected-million-samples": "59"},
    ),
    tagged(
        "amp/ruleGroupNamespace:RuleGroupNamespace",
        "monitoring-rules",
        name="gpucluster",
        workspaceId="trial-monitoring-workspace-id",
        data=ANY,
    ),
    tagged(
        "amp/scraper:Scraper",
        "monitoring-scraper",
        alias=CLUSTER,
        source={
            "eks": {
                "clusterArn": "arn:aws:eks:us-east-1:000000000000:cluster/trial",
                "subnetIds": CLUSTER_SUBNETS,
                "securityGroupIds": ["sg-cluster"],
            }
        },
        destination={"amp": {"workspaceArn": f"{MOCK}trial-monitoring-workspace"}},
        scrapeConfiguration=ANY,
    ),
]


@pytest.fixture(scope="module")
def trial(register: Register) -> dict[str, MockResourceArgs]:
    return register()


@pytest.fixture(scope="module")
def closed(register: Register) -> dict[str, MockResourceArgs]:
    spec = yaml.safe_load((ROOT / "examples/specs/aws/closed.yaml").read_text())
    return register(access=spec["access"])


def test_the_trial_registers_these_resources_in_its_account(trial: dict[str, MockResourceArgs]) -> None:
    expected = sorted(
        [*CONTROL_PLANE, *NETWORK, *STORAGE, *NODES, *ELASTIC, *REGISTRY, *OBSERVED], key=lambda item: item[1]
    )
    found = [whole(args) for _, args in sorted(trial.items()) if args.typ.startswith("aws:")]
    assert [item[:2] for item in found] == [item[:2] for item in expected]
    assert found == expected


def test_sliced_nodes_are_single_gpu_machines_in_a_pool_of_their_own(register: Register) -> None:
    seen = register(mig={"nodes": 1, "layout": "3x2g.20gb+1x1g.10gb", "purchase": "spot"})
    inputs = seen["trial-mig-nodes"].inputs
    labels = {key: value for key, value in inputs["labels"].items() if "." in key or "/" in key}
    sizes = inputs["scalingConfig"]
    assert (inputs["capacityType"], sizes["desiredSize"], sizes["minSize"], sizes["maxSize"]) == ("SPOT", 8, 8, 8)
    assert (inputs["amiType"], inputs["subnetIds"]) == ("AL2023_x86_64_NVIDIA", ["trial-network-gpu-id"])
    assert (inputs["taints"], labels) == (
        [{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}],
        {
            "gpucluster/pool": "mig",
            "nvidia.com/gpu.present": "true",
            "gpucluster/mig-layout": "3x2g.20gb-1x1g.10gb",
        },
    )
    template = seen["trial-mig-template"].inputs
    assert template["instanceType"] == "p5.4xlarge"
    script = base64.b64decode(template["userData"]).decode()
    assert "nvidia-smi mig -cgi 2g.20gb,2g.20gb,2g.20gb,1g.10gb -C\n" in script
    assert seen["trial-devices-nvidia"].inputs["values"]["migStrategy"] == "mixed"
    assert "networkInterfaces" not in template


def test_an_admin_has_an_access_entry_with_the_admin_policy(register: Register) -> None:
    seen = register(access={"kind": "public", "cidrs": ["203.0.113.0/24"], "admins": [ADMIN]})
    name = "control-plane-admin-123456789012-role-ops-platform-admin"
    of: dict[str, Any] = {"clusterName": CLUSTER, "principalArn": ADMIN}
    compare(
        seen,
        [
            tagged("eks/accessEntry:AccessEntry", name, **of, type="STANDARD"),
            bare(
                "eks/accessPolicyAssociation:AccessPolicyAssociation",
                f"{name}-rights",
                **of,
                policyArn="arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
                accessScope={"type": "cluster"},
            ),
        ],
    )


def test_a_closed_network_has_endpoints_in_two_zones_and_no_way_out(closed: dict[str, MockResourceArgs]) -> None:
    gone = {"aws:ec2/natGateway:NatGateway", "aws:ec2/internetGateway:InternetGateway", "aws:ec2/eip:Eip"}
    assert [name for name, args in closed.items() if args.typ in gone | {"aws:ec2/route:Route"}] == []
    endpoints = [args.inputs for args in closed.values() if args.inputs.get("vpcEndpointType") == "Interface"]
    assert sorted(item["serviceName"].removeprefix("com.amazonaws.us-east-1.") for item in endpoints) == [
        "ec2", "ec2messages", "ecr.api", "ecr.dkr", "eks", "eks-auth", "logs", "monitoring", "sqs", "ssm",
        "ssmmessages", "sts",
    ]  # fmt: skip
    for item in endpoints:
        assert (item["subnetIds"], item["privateDnsEnabled"], item["securityGroupIds"]) == (
            ["trial-network-cluster-a-id", "trial-network-cluster-b-id"],
            True,
            ["trial-network-endpoint-group-id"],
        )


def test_the_private_api_lets_in_the_vpns_ranges_and_nobody_over_the_internet(
    closed: dict[str, MockResourceArgs],
) -> None:
    vpn = rule(
        "Ingress",
        "control-plane-api-10-200-0-0-16",
        "trial-control-plane-api-id",
        cidrIpv4="10.200.0.0/16",
        ipProtocol="tcp",
        fromPort=443,
        toPort=443,
        description="Kubernetes API",
    )
    compare(closed, [vpn])
    config = closed["trial-control-plane-cluster"].inputs["vpcConfig"]
    assert (config["endpointPublicAccess"], config.get("publicAccessCidrs"), config["securityGroupIds"]) == (
        False,
        None,
        ["trial-control-plane-api-id"],
    )


def test_karpenter_in_a_closed_network_asks_neither_prices_nor_iam(closed: dict[str, MockResourceArgs]) -> None:
    settings = closed["trial-elastic-karpenter"].inputs["values"]["settings"]
    node_class = closed["trial-elastic-class"].inputs["spec"]
    assert (settings["isolatedVPC"], node_class.get("role"), node_class["instanceProfile"]) == (
        True,
        None,
        "trial-elastic-node-profile",
    )


def test_images_come_from_the_mirror(closed: dict[str, MockResourceArgs]) -> None:
    mirror = "123456789012.dkr.ecr.us-east-1.amazonaws.com/mirror"
    values = {name: closed[f"trial-{name}"].inputs["values"] for name in ("devices-efa", "devices-nvidia")}
    assert values["devices-efa"]["image"] == {"repository": f"{mirror}/eks/aws-efa-k8s-device-plugin"}
    assert values["devices-nvidia"]["image"] == {"repository": f"{mirror}/nvidia/k8s-device-plugin"}
    assert closed["trial-elastic-karpenter"].inputs["values"]["controller"]["image"] == {
        "repository": f"{mirror}/karpenter/controller"
    }


def test_a_private_cluster_with_nat_has_endpoints_and_a_way_out(register: Register) -> None:
    seen = register(access={"kind": "private", "via": "inside"})
    assert "trial-network-nat" in seen and "trial-network-endpoint-ecr-dkr" in seen
    assert seen["trial-control-plane-api-10-0-0-0-16"].inputs["cidrIpv4"] == "10.0.0.0/16"
    assert "isolatedVPC" not in seen["trial-elastic-karpenter"].inputs["values"]["settings"]


def test_versions_that_the_spec_names_reach_control_plane_and_nodes(register: Register) -> None:
    chosen = {"kubernetes": "1.36", "system": "1.36", "nodes": "1.35.2-20260714", "support": "extended"}
    seen = register(versions=chosen, mig={"nodes": 1, "layout": "1g.10gb"})
    plane, system = (seen[name].inputs for name in ("trial-control-plane-cluster", "trial-system-nodes"))
    assert (plane["version"], plane["upgradePolicy"]) == ("1.36", {"supportType": "EXTENDED"})
    assert (system["version"], "releaseVersion" in system) == ("1.36", False)
    for name in ("trial-training-nodes", "trial-mig-nodes"):
        nodes = seen[name].inputs
        assert (nodes["version"], nodes["releaseVersion"]) == ("1.35", "1.35.2-20260714")
    # Pinned for 1.35 alone.
    assert "addonVersion" not in seen["trial-control-plane-kube-proxy"].inputs


def test_an_existing_repository_is_pulled_from_by_the_rights_that_nodes_have(register: Register) -> None:
    seen = register(registry={"kind": "existing", "id": "123456789012.dkr.ecr.us-east-1.amazonaws.com/training"})
    assert [name for name in seen if name.startswith("trial-registry")] == []
