"""The cluster's resources as AWS's guides want them, typed by hand: type, logical name, inputs besides tags."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi.runtime.mocks import MockResourceArgs

from tests.components.aws.node_repair import REPAIR

ROOT = Path(__file__).parents[3]
Register = Callable[..., dict[str, MockResourceArgs]]
Expected = list[tuple[str, str, dict[str, Any]]]
MOCK = "arn:aws:mock:us-east-1:000000000000:"
ADMIN = "arn:aws:iam::123456789012:role/ops/platform-admin"


def statements(policy: str) -> Any:
    return json.loads(policy)["Statement"]


def compare(seen: dict[str, MockResourceArgs], expected: Expected) -> None:
    """Whole inputs but for tags; policies as data."""
    found: Expected = []
    for _, name, wanted in expected:
        args = seen[name]
        inputs = {key: value for key, value in args.inputs.items() if key != "tags"}
        for key in ("policy", "assumeRolePolicy"):
            if key in inputs and not isinstance(wanted[key], str):
                inputs[key] = statements(inputs[key])
        found.append((args.typ, name, inputs))
    assert found == expected


# As `aws eks describe-addon-versions --kubernetes-version 1.35` tells.
ADDONS = {
    "aws-ebs-csi-driver": "v1.65.0-eksbuild.1",
    "coredns": "v1.13.2-eksbuild.21",
    "eks-node-monitoring-agent": "v1.6.4-eksbuild.1",
    "eks-pod-identity-agent": "v1.3.10-eksbuild.3",
    "kube-proxy": "v1.35.3-eksbuild.21",
    "vpc-cni": "v1.22.4-eksbuild.3",
}


SPEC_LABELS = {
    "team": "research",
    "project": "foundation-model",
    "cost-center": "cc-1234",
    "environment": "trial",
    "owner": "ml-platform",
}
NODE_LABELS = {**SPEC_LABELS, "pulumi-project": "gpucluster", "pulumi-stack": "aws-trial"}
VOLUME_TAGS = {**NODE_LABELS, "managed-by": "pulumi"}


def addon(suffix: str, addon_name: str, **inputs: Any) -> tuple[str, str, dict[str, Any]]:
    return (
        "aws:eks/addon:Addon",
        suffix,
        {
            "addonName": addon_name,
            "addonVersion": ADDONS[addon_name],
            "clusterName": "trial-aws-trial",
            "resolveConflictsOnCreate": "OVERWRITE",
            "resolveConflictsOnUpdate": "PRESERVE",
            **inputs,
        },
    )


TRIAL: Expected = [
    (
        "aws:kms/key:Key",
        "trial-control-plane-secrets",
        {
            "description": "Kubernetes secrets of one EKS cluster",
            "enableKeyRotation": True,
            "deletionWindowInDays": 30,
        },
    ),
    (
        "aws:iam/rolePolicy:RolePolicy",
        "trial-control-plane-secrets-use",
        {
            "role": "trial-control-plane-role",
            "policy": [
                {
                    "Effect": "Allow",
                    "Action": ["kms:Encrypt", "kms:Decrypt", "kms:ListGrants", "kms:DescribeKey"],
                    "Resource": f"{MOCK}trial-control-plane-secrets",
                }
            ],
        },
    ),
    (
        "aws:cloudwatch/logGroup:LogGroup",
        "trial-control-plane-logs",
        {"name": "/aws/eks/trial-aws-trial/cluster", "retentionInDays": 90},
    ),
    (
        "aws:eks/cluster:Cluster",
        "trial-control-plane-cluster",
        {
            "name": "trial-aws-trial",
            "version": "1.35",
            "roleArn": f"{MOCK}trial-control-plane-role",
            "upgradePolicy": {"supportType": "STANDARD"},
            "vpcConfig": {
                "subnetIds": ["trial-network-cluster-a-id", "trial-network-cluster-b-id"],
                "endpointPrivateAccess": True,
                "endpointPublicAccess": True,
                "publicAccessCidrs": ["203.0.113.0/24"],
            },
            "encryptionConfig": {
                "provider": {"keyArn": f"{MOCK}trial-control-plane-secrets"},
                "resources": ["secrets"],
            },
            "accessConfig": {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True},
            "bootstrapSelfManagedAddons": False,
            "enabledClusterLogTypes": ["api", "audit", "authenticator"],
        },
    ),
    addon(
        "trial-control-plane-vpc-cni",
        "vpc-cni",
        configurationValues='{"env": {"ENABLE_PREFIX_DELEGATION": "true"}, "enableNetworkPolicy": "true"}',
    ),
    addon("trial-control-plane-kube-proxy", "kube-proxy"),
    addon("trial-control-plane-pod-identity", "eks-pod-identity-agent"),
    addon(
        "trial-system-coredns",
        "coredns",
        configurationValues='{"autoScaling": {"enabled": true, "minReplicas": 2, "maxReplicas": 10}}',
    ),
    addon("trial-system-node-monitoring", "eks-node-monitoring-agent"),
    addon(
        "trial-block-storage-driver",
        "aws-ebs-csi-driver",
        configurationValues=json.dumps({"controller": {"extraVolumeTags": dict(sorted(VOLUME_TAGS.items()))}}),
    ),
    (
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "trial-block-storage-role-policy",
        {
            "role": "trial-block-storage-role",
            "policyArn": "arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy",
        },
    ),
    (
        "kubernetes:storage.k8s.io/v1:StorageClass",
        "trial-block-storage-class",
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {
                "name": "gp3",
                "labels": NODE_LABELS,
                "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
            },
            "provisioner": "ebs.csi.aws.com",
            "parameters": {"type": "gp3", "encrypted": "true"},
            "volumeBindingMode": "WaitForFirstConsumer",
            "allowVolumeExpansion": True,
            "reclaimPolicy": "Delete",
        },
    ),
    (
        "aws:cloudwatch/logGroup:LogGroup",
        "trial-network-flow-logs-group",
        {"retentionInDays": 30},
    ),
    (
        "aws:iam/role:Role",
        "trial-network-flow-logs-role",
        {
            "assumeRolePolicy": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": "vpc-flow-logs.amazonaws.com"},
                    "Action": "sts:AssumeRole",
                    "Condition": {
                        "StringEquals": {"aws:SourceAccount": "000000000000"},
                        "ArnLike": {"aws:SourceArn": "arn:aws:ec2:us-east-1:000000000000:vpc-flow-log/*"},
                    },
                }
            ]
        },
    ),
    (
        "aws:iam/rolePolicy:RolePolicy",
        "trial-network-flow-logs-role-policy",
        {
            "role": "trial-network-flow-logs-role",
            "policy": [
                {
                    "Effect": "Allow",
                    "Action": ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams"],
                    "Resource": f"{MOCK}trial-network-flow-logs-group:*",
                },
                {"Effect": "Allow", "Action": "logs:DescribeLogGroups", "Resource": "*"},
            ],
        },
    ),
    (
        "aws:ec2/flowLog:FlowLog",
        "trial-network-flow-logs",
        {
            "vpcId": "trial-network-vpc-id",
            "trafficType": "ALL",
            "logDestinationType": "cloud-watch-logs",
            "logDestination": f"{MOCK}trial-network-flow-logs-group",
            "iamRoleArn": f"{MOCK}trial-network-flow-logs-role",
            "maxAggregationInterval": 600,
        },
    ),
    (
        "aws:ec2/natGateway:NatGateway",
        "trial-network-nat",
        {"allocationId": "trial-network-nat-address-id", "subnetId": "trial-network-public-id"},
    ),
    (
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        "trial-network-s3",
        {
            "vpcId": "trial-network-vpc-id",
            "serviceName": "com.amazonaws.us-east-1.s3",
            "vpcEndpointType": "Gateway",
            "routeTableIds": ["trial-network-private-routes-id"],
        },
    ),
    (
        "aws:cloudwatch/logGroup:LogGroup",
        "trial-logs-group",
        {"name": "/aws/containerinsights/trial-aws-trial/application", "retentionInDays": 30},
    ),
    (
        "aws:iam/rolePolicy:RolePolicy",
        "trial-logs-role-policy",
        {
            "role": "trial-logs-role",
            "policy": [
                {
                    "Effect": "Allow",
                    "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
                    "Resource": f"{MOCK}trial-logs-group:*",
                }
            ],
        },
    ),
    (
        "aws:eks/podIdentityAssociation:PodIdentityAssociation",
        "trial-logs-role-association",
        {
            "clusterName": "trial-aws-trial",
            "namespace": "kube-system",
            "serviceAccount": "pod-logs",
            "roleArn": f"{MOCK}trial-logs-role",
        },
    ),
    (
        "aws:ecr/repository:Repository",
        "trial-registry-jobs",
        {
            "name": "trial-1887/jobs",
            "imageTagMutability": "IMMUTABLE",
            "imageScanningConfiguration": {"scanOnPush": True},
            "encryptionConfigurations": [{"encryptionType": "AES256"}],
            "forceDelete": True,
        },
    ),
    (
        "aws:ecr/pullThroughCacheRule:PullThroughCacheRule",
        "trial-registry-cache-quay",
        {"ecrRepositoryPrefix": "trial-1887/quay", "upstreamRegistryUrl": "quay.io"},
    ),
    *(
        (
            "aws:iam/rolePolicy:RolePolicy",
            f"trial-registry-{pool}-caches",
            {
                "role": role,
                "policy": [
                    {
                        "Effect": "Allow",
                        "Action": ["ecr:BatchImportUpstreamImage", "ecr:CreateRepository"],
                        "Resource": [
                            f"arn:aws:ecr:us-east-1:000000000000:repository/trial-1887/{short}/*"
                            for short in ("ecr", "k8s", "quay")
                        ],
                    }
                ],
            },
        )
        for pool, role in {
            "system": "trial-system-role",
            "training": "trial-training-role",
            "elastic": "trial-elastic-node-role",
        }.items()
    ),
]


@pytest.fixture(scope="module")
def trial(register: Register) -> dict[str, MockResourceArgs]:
    return register()


@pytest.fixture(scope="module")
def closed(register: Register) -> dict[str, MockResourceArgs]:
    spec = yaml.safe_load((ROOT / "examples/specs/aws/closed.yaml").read_text())
    return register(access=spec["access"])


def test_control_plane_network_and_add_ons_are_as_the_guides_want(trial: dict[str, MockResourceArgs]) -> None:
    compare(trial, TRIAL)


def test_gpu_nodes_are_repaired_replaced_in_place_tainted_and_labelled(trial: dict[str, MockResourceArgs]) -> None:
    inputs = trial["trial-training-nodes"].inputs
    labels = {key: value for key, value in inputs["labels"].items() if "." in key or "/" in key}
    assert (inputs["nodeRepairConfig"], inputs["updateConfig"], inputs["taints"], labels) == (
        REPAIR,
        {"maxUnavailable": 1, "updateStrategy": "MINIMAL"},
        [{"key": "nvidia.com/gpu", "value": "true", "effect": "NO_SCHEDULE"}],
        {"gpucluster/pool": "training", "nvidia.com/gpu.present": "true", "vpc.amazonaws.com/efa.present": "true"},
    )


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


@pytest.mark.parametrize("name", ["trial-training-template", "trial-system-template"])
def test_nodes_have_encrypted_disks_and_keep_their_metadata_from_pods(
    trial: dict[str, MockResourceArgs], name: str
) -> None:
    inputs = trial[name].inputs
    assert [disk["ebs"]["encrypted"] for disk in inputs["blockDeviceMappings"]] == ["true"]
    assert inputs["metadataOptions"] == {
        "httpEndpoint": "enabled",
        "httpTokens": "required",
        "httpPutResponseHopLimit": 1,
    }


def test_an_admin_has_an_access_entry_with_the_admin_policy(register: Register) -> None:
    seen = register(access={"kind": "public", "cidrs": ["203.0.113.0/24"], "admins": [ADMIN]})
    name = "trial-control-plane-admin-123456789012-role-ops-platform-admin"
    compare(
        seen,
        [
            (
                "aws:eks/accessEntry:AccessEntry",
                name,
                {"clusterName": "trial-aws-trial", "principalArn": ADMIN, "type": "STANDARD"},
            ),
            (
                "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
                f"{name}-rights",
                {
                    "clusterName": "trial-aws-trial",
                    "principalArn": ADMIN,
                    "policyArn": "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
                    "accessScope": {"type": "cluster"},
                },
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
    compare(
        closed,
        [
            (
                "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
                "trial-control-plane-api-10-200-0-0-16",
                {
                    "securityGroupId": "trial-control-plane-api-id",
                    "cidrIpv4": "10.200.0.0/16",
                    "ipProtocol": "tcp",
                    "fromPort": 443,
                    "toPort": 443,
                    "description": "Kubernetes API",
                },
            )
        ],
    )
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
