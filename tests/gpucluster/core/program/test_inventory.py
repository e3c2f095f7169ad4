"""The inventory names every GPU machine of a stack, with number, GPUs and cluster, and nothing that is none."""

from __future__ import annotations

import gzip
from base64 import b64encode
from typing import Any

import pytest

from gpucluster.core.program.inventory import GpuMachines, inventory, named_by, scaled_to
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources

_NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
_TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
_KARPENTER = "kubernetes:karpenter.sh/v1:NodePool"
_COMPUTE_CLASS = "kubernetes:cloud.google.com/v1:ComputeClass"
_GKE = "gcp:container/cluster:Cluster"
_COMMAND = "command:local:Command"
_SCRIPT = b"#!/bin/sh\naws ec2 run-instances --instance-type p5.48xlarge --count 64\n"
_BASE64 = b64encode(_SCRIPT).decode()
_GZIP = b64encode(gzip.compress(_SCRIPT)).decode()


def _resource(type_: str, inputs: dict[str, Any], name: str = "x", **more: Any) -> Resource:
    return Resource(urn=f"urn:pulumi:dev::test::{type_}::{name}", type=type_, name=name, inputs=inputs, **more)


def _found(*resources: Resource) -> list[tuple[str, str, str, int | None]]:
    return [(one.resource.name, one.label, one.gpu, _total(one)) for one in inventory(Resources(resources))]


def _total(one: GpuMachines) -> int | None:
    most = one.numbers.most
    return most * one.gpus if isinstance(most, int) and one.gpus else None


def _requirements(key: str, *values: str) -> dict[str, Any]:
    return {"template": {"spec": {"requirements": [{"key": key, "operator": "In", "values": [*values]}]}}}


@pytest.mark.parametrize(
    ("type_", "inputs", "label", "gpu", "total"),
    [
        (_NODE_GROUP, {"instanceTypes": ["p5.48xlarge"], "scalingConfig": {"maxSize": 8}}, "8 p5.48xlarge", "H100", 64),
        ("aws:ec2/instance:Instance", {"instanceType": "p5.48xlarge"}, "1 p5.48xlarge", "H100", 8),
        (
            "aws:batch/computeEnvironment:ComputeEnvironment",
            {"computeResources": {"instanceTypes": ["p5"], "maxVcpus": 768}},
            "4 p5",
            "H100",
            32,
        ),
        ("aws:ec2/dedicatedHost:DedicatedHost", {"instanceFamily": "p5"}, "1 p5", "H100", 8),
        (
            "aws-native:sagemaker:Cluster",
            {"instanceGroups": [{"instanceType": "ml.p5.48xlarge", "instanceCount": 4}]},
            "4 ml.p5.48xlarge",
            "H100",
            32,
        ),
        (
            "aws:scheduler/schedule:Schedule",
            {"target": {"input": '{"InstanceType": "p5.48xlarge", "MinCount": 1, "MaxCount": 16}'}},
            "16 p5.48xlarge",
            "H100",
            128,
        ),
        (
            "aws:cloudformation/stack:Stack",
            {"parameters": {"NodeType": "p5.48xlarge", "Nodes": "16"}},
            "16 p5.48xlarge",
            "H100",
            128,
        ),
        (
            "aws:cloudformation/stack:Stack",
            {"templateBody": "Type: AWS::Batch::ComputeEnvironment\nProperties: {InstanceTypes: [p5]}"},
            "p5",
            "H100",
            None,
        ),
        (
            "azure-native:resources:Deployment",
            {"properties": {"parameters": {"size": {"value": "Standard_ND96isr_H100_v5"}}}},
            "Standard_ND96isr_H100_v5",
            "H100",
            None,
        ),
        (
            "azure-native:azurefleet:Fleet",
            {"vmSizesProfile": [{"name": "standard_nd96isr_h100_v5"}], "regularPriorityProfile": {"capacity": 16}},
            "16 standard_nd96isr_h100_v5",
            "H100",
            128,
        ),
        (
            "gcp:vertex/aiDedicated:Pool",
            {"machineSpec": {"acceleratorType": "NVIDIA_H100_80GB", "acceleratorCount": 8}, "replicaCount": 4},
            "4 NVIDIA_H100_80GB",
            "H100",
            32,
        ),
        (
            "gcp:compute/instance:Instance",
            {"machineType": "a3-highgpu-8g", "guestAccelerators": [{"type": "nvidia-h100-80gb", "count": 8}]},
            "1 a3-highgpu-8g",
            "H100",
            8,
        ),
        (
            "gcp:compute/instance:Instance",
            {"machineType": "n1-standard-96", "guestAccelerators": [{"type": "nvidia-tesla-v100", "count": 8}]},
            "1 nvidia-tesla-v100",
            "V100",
            8,
        ),
        (
            _GKE,
            {"clusterAutoscaling": {"resourceLimits": [{"resourceType": "nvidia-h100-80gb", "maximum": 32}]}},
            "32 nvidia-h100-80gb",
            "H100",
            32,
        ),
        (
            "kubernetes:container.cnrm.cloud.google.com/v1beta1:ContainerNodePool",
            {"spec": {"nodeConfig": {"machineType": "a3-highgpu-8g"}, "initialNodeCount": 4}},
            "4 a3-highgpu-8g",
            "H100",
            32,
        ),
        (
            _KARPENTER,
            {
                "spec": {
                    "limits": {"nvidia.com/gpu": "64"},
                    **_requirements("node.kubernetes.io/instance-type", "p5.48xlarge"),
                }
            },
            "8 p5.48xlarge",
            "H100",
            64,
        ),
        (_KARPENTER, {"spec": _requirements("eks.amazonaws.com/instance-family", "p5")}, "p5", "H100", None),
        (
            _COMPUTE_CLASS,
            {"spec": {"priorities": [{"gpu": {"type": "nvidia-h100-80gb", "count": 8}}]}},
            "nvidia-h100-80gb",
            "H100",
            None,
        ),
        (
            "kubernetes:helm.sh/v3:Release",
            {"values": {"workers": {"instanceType": "p5.48xlarge", "replicas": 8}}},
            "8 p5.48xlarge",
            "H100",
            64,
        ),
        (
            _COMMAND,
            {"create": "aws ec2 run-instances --instance-type p5.48xlarge --count 64"},
            "64 p5.48xlarge",
            "H100",
            512,
        ),
        (
            "command:remote:Command",
            {"create": "eksctl create nodegroup --node-type p5.48xlarge --nodes 8 --nodes-max=16"},
            "16 p5.48xlarge",
            "H100",
            128,
        ),
        ("lambda:index:Instance", {"instanceType": "gpu_8x_h100_sxm5"}, "1 gpu_8x_h100_sxm5", "H100", None),
        ("oci:Core/instance:Instance", {"shape": "BM.GPU.H100.8"}, "1 BM.GPU.H100.8", "H100", None),
        ("oci:Core/instance:Instance", {"shape": "BM.GPU4.8"}, "1 BM.GPU4.8", "", None),
        ("ibm:index/isInstance:IsInstance", {"profile": "gx3d-160x1792x8h100"}, "1 gx3d-160x1792x8h100", "H100", None),
        ("ovh:CloudProject/instance:Instance", {"flavorName": "l40s-90"}, "1 l40s-90", "L40S", None),
        ("linode:index/instance:Instance", {"type": "g2-gpu-rtx4000a4-m"}, "1 g2-gpu-rtx4000a4-m", "RTX4000", None),
        (
            "snowflake:index/computePool:ComputePool",
            {"instanceFamily": "GPU_NV_L", "minNodes": 1, "maxNodes": 8},
            "8 GPU_NV_L",
            "",
            None,
        ),
        (
            "azure-native:app:ManagedEnvironment",
            {"workloadProfiles": [{"name": "a", "workloadProfileType": "NC48-A100", "maximumCount": 4}]},
            "4 NC48-A100",
            "A100",
            None,
        ),
        (
            "azure-native:containerinstance:ContainerGroup",
            {"containers": [{"resources": {"requests": {"gpu": {"count": 4, "sku": "V100"}}}}]},
            "V100",
            "V100",
            None,
        ),
        (
            "aws:codebuild/project:Project",
            {"environment": {"type": "LINUX_GPU_CONTAINER", "computeType": "BUILD_GENERAL1_LARGE"}},
            "LINUX_GPU_CONTAINER",
            "",
            None,
        ),
        (
            "aws:appstream/fleet:Fleet",
            {"instanceType": "stream.graphics.g5.48xlarge"},
            "stream.graphics.g5.48xlarge",
            "",
            None,
        ),
        (
            "aws:deadline/fleet:Fleet",
            {"capabilities": {"acceleratorCapabilities": {"selections": [{"name": "l4"}]}}, "maxWorkerCount": 4},
            "4 l4",
            "L4",
            4,
        ),
        (
            "aws:ec2/fleet:Fleet",
            {
                "overrides": [{"instanceRequirements": {"acceleratorManufacturers": ["nvidia"]}}],
                "totalTargetCapacity": 8,
            },
            "8 GPU machines",
            "",
            None,
        ),
        (
            "kubernetes:infrastructure.cluster.x-k8s.io/v1beta2:AWSMachineTemplate",
            {"spec": {"template": {"spec": {"instanceType": "p5.48xlarge"}}}},
            "p5.48xlarge",
            "H100",
            None,
        ),
        (
            "gcp:cloudrunv2/service:Service",
            {
                "template": {
                    "scaling": {"maxInstanceCount": 16},
                    "nodeSelector": {"accelerator": "nvidia-l4"},
                    "containers": [{"resources": {"limits": {"nvidia.com/gpu": "1"}}}],
                }
            },
            "16 nvidia-l4",
            "L4",
            16,
        ),
        (
            "aws-native:ec2:Ec2Fleet",
            {
                "overrides": [{"instanceRequirements": {"acceleratorCount": {"min": 8}, "vCpuCount": {"min": 96}}}],
                "targetCapacitySpecification": {"totalTargetCapacity": 8},
            },
            "8 GPU machines",
            "",
            None,
        ),
        (
            "azure-native:azurefleet:Fleet",
            {"vmAttributes": {"acceleratorSupport": "Required"}, "regularPriorityProfile": {"capacity": 16}},
            "16 GPU machines",
            "",
            None,
        ),
        (
            "aws-native:ec2:Ec2Fleet",
            {"overrides": [{"instanceRequirements": {"allowedInstanceTypes": ["p5.48x*"]}}], "totalTargetCapacity": 2},
            "2 p5.48x*",
            "H100",
            16,
        ),
        (_KARPENTER, _requirements("karpenter.k8s.aws/instance-gpu-memory", "80000"), "GPU machines", "", None),
        (_KARPENTER, _requirements("eks.amazonaws.com/instance-category", "p"), "GPU machines", "", None),
        (_KARPENTER, _requirements("karpenter.azure.com/sku-family", "ND"), "GPU machines", "", None),
        (_KARPENTER, {"limits": {"nvidia.com/gpu": 64}, "template": {}}, "GPU machines", "", None),
        (_KARPENTER, {"limits": {"nvidia.com/gpu": UNKNOWN}, "template": UNKNOWN}, "GPU machines", "", None),
        ("aws-native:ec2:Ec2Fleet", {"x": {"acceleratorCount": {"min": UNKNOWN}}}, "GPU machines", "", None),
        (
            _KARPENTER,
            {"requirements": [{"key": "a/instance-gpu-count", "operator": UNKNOWN, "values": [UNKNOWN]}]},
            "GPU machines",
            "",
            None,
        ),
        ("aws:ec2/instance:Instance", {"instanceType": "m5.large", "userData": _BASE64}, "64 p5.48xlarge", "H100", 512),
        ("aws:ec2/instance:Instance", {"instanceType": "m5.large", "userData": _GZIP}, "64 p5.48xlarge", "H100", 512),
        (
            "kubernetes:yaml/v2:ConfigGroup",
            {"yaml": "a: 1\n---\nkind: NodePool\nspec:\n- {key: acme/instance-family, operator: In, values: [p5]}\n"},
            "p5",
            "H100",
            None,
        ),
        ("acme:index:Nodes", {"pools": {"p5.48xlarge": {"count": 16}}}, "16 p5.48xlarge", "H100", 128),
        ("acme:index:Nodes", {"pools": {"p5.48xlarge": 16}}, "16 p5.48xlarge", "H100", 128),
        (_COMMAND, {"create": "sky launch --gpus H100:8 --num-nodes 16"}, "16 H100:8", "H100", 128),
        (_COMMAND, {"stdin": "type: fleet\nnodes: 16\nresources:\n  gpu: H100:8\n"}, "16 H100:8", "H100", 128),
        ("nebius:index:NodeGroup", {"platform": "gpu-h100-sxm", "fixedNodeCount": 4}, "4 gpu-h100-sxm", "H100", None),
        (
            "alicloud:cs/nodePool:NodePool",
            {"instanceTypes": ["ecs.gn7i-c16g1.4xlarge"]},
            "ecs.gn7i-c16g1.4xlarge",
            "",
            None,
        ),
        (
            "kubernetes:eks.aws.upbound.io/v1beta1:NodeGroup",
            {"instanceTypes": ["p5.48xlarge"], "scalingConfig": [{"desiredSize": 64}]},
            "64 p5.48xlarge",
            "H100",
            512,
        ),
    ],
)
def test_a_place_that_names_gpu_machines_is_found(
    type_: str, inputs: dict[str, Any], label: str, gpu: str, total: int | None
) -> None:
    assert _found(_resource(type_, inputs)) == [("x", label, gpu, total)]


@pytest.mark.parametrize(
    ("type_", "inputs"),
    [
        ("aws:s3/bucket:Bucket", {"bucket": "p5", "name": "a3-highgpu-8g"}),
        ("aws:ec2/instance:Instance", {"instanceType": "m5.large", "ami": "h100-image", "iamInstanceProfile": "p5"}),
        ("aws:iam/policy:Policy", {"policy": '{"ec2:InstanceType": "p5.48xlarge"}'}),
        ("aws:ec2/capacityReservation:CapacityReservation", {"instanceType": "p5.48xlarge"}),
        ("aws:batch/jobQueue:JobQueue", {"tags": {"instance_type": "p5.48xlarge"}, "description": "for p5.48xlarge"}),
        (_NODE_GROUP, {"instanceTypes": ["c5.large"], "nodeGroupName": "train-p5.48xlarge", "labels": {"gpu": "h100"}}),
        (_COMPUTE_CLASS, {"spec": {"priorities": [{"machineType": "n4-standard-8"}]}}),
        ("kubernetes:core/v1:ConfigMap", {"data": {"machine": "p5.48xlarge"}}),
        (
            "kubernetes:apps/v1:Deployment",
            {"spec": {"nodeSelector": {"node.kubernetes.io/instance-type": "p5.48xlarge"}}},
        ),
        (
            "kubernetes:helm.sh/v3:Release",
            {"values": {"image": "nvcr.io/nvidia/l4:1", "nodeSelector": {"a": "p5.48xlarge"}}},
        ),
        ("gcp:compute/subnetwork:Subnetwork", {"network": "a1-subnet-2", "region": "us-central1"}),
        ("azure-native:web:AppServicePlan", {"sku": {"name": "P2v3", "tier": "PremiumV3", "size": "P2"}}),
        ("azure-native:compute:Disk", {"sku": {"name": "Premium_LRS"}, "tier": "P30"}),
        ("aws:elasticache/cluster:Cluster", {"nodeType": "cache.t4g.small"}),
        ("kong:index/plugin:Plugin", {"type": "L4", "class": "gpu"}),
        (_NODE_GROUP, {"amiType": "AL2_x86_64_GPU", "nodeGroup": "gpu-workers", "iamInstanceProfile": "trial-h100"}),
        ("kubernetes:helm.sh/v3:Release", {"values": {"resourceType": "nvidia.com/gpu", "osType": "gpu-image"}}),
        ("aws:ec2/instance:Instance", {"instanceType": "m5.large", "userData": "#!/bin/sh\n# as p5.48xlarge\nls\n"}),
        ("aws:ssm/document:Document", {"content": '{"runCommand": ["nvidia-smi", "# gpu: H100"]}'}),
        ("aws:cloudwatch/dashboard:Dashboard", {"dashboardBody": '{"markdown": "p5.48xlarge"}'}),
        ("aws:budgets/budget:Budget", {"costFilters": [{"name": "InstanceType", "values": ["p5.48xlarge"]}]}),
        ("kubernetes:kyverno.io/v1:ClusterPolicy", {"spec": {"rules": [{"deny": ["p5.48xlarge"]}]}}),
        ("aws-native:ec2:Ec2Fleet", {"instanceRequirements": {"excludedInstanceTypes": ["p5.48xlarge", "g*"]}}),
        ("aws-native:ec2:Ec2Fleet", {"instanceRequirements": {"acceleratorCount": {"max": 0}}}),
        (
            "aws-native:ec2:Ec2Fleet",
            {"acceleratorManufacturers": ["amazon-web-services"], "acceleratorCount": {"min": 1}},
        ),
        (_KARPENTER, {"requirements": [{"key": "a/instance-family", "operator": "NotIn", "values": ["p5"]}]}),
        (_KARPENTER, _requirements("karpenter.k8s.aws/instance-gpu-count", "0")),
        (_KARPENTER, _requirements("karpenter.k8s.aws/instance-category", "c", "m")),
        ("kubernetes:helm.sh/v3:Release", {"values": {"replicas": 2, "resources": {"limits": {"nvidia.com/gpu": 8}}}}),
        ("azure-native:compute:VirtualMachine", {"imageReference": {"offer": "ngc", "sku": "gpu-h100"}}),
    ],
)
def test_what_starts_no_gpu_machine_is_not(type_: str, inputs: dict[str, Any]) -> None:
    assert _found(_resource(type_, inputs)) == []


def test_the_machines_of_a_template_belong_to_the_group_that_uses_it() -> None:
    template = _resource(_TEMPLATE, {"instanceType": "p5.48xlarge"}, "template")
    group = _resource(
        _NODE_GROUP,
        {"scalingConfig": {"desiredSize": 4, "maxSize": 8}},
        "group",
        dependencies={"launchTemplate": (template.urn,)},
    )
    assert _found(template, group) == [("group", "8 p5.48xlarge", "H100", 64)]
    [alone] = inventory(Resources([template]))
    assert (alone.resource.name, alone.unused) == ("template", True)


def test_an_autoscaler_sets_the_ceiling_of_a_group() -> None:
    group = _resource(
        "azure-native:compute:VirtualMachineScaleSet", {"sku": {"name": "Standard_ND96isr_H100_v5", "capacity": 0}}
    )
    scaler = _resource(
        "azure-native:monitor:AutoscaleSetting",
        {"profiles": [{"capacity": {"minimum": "0", "maximum": "50"}}]},
        dependencies={"targetResourceUri": (group.urn,)},
    )
    assert _found(group, scaler) == [("x", "50 Standard_ND96isr_H100_v5", "H100", 400)]
    hidden = _resource("azure-native:monitor:AutoscaleSetting", {"profiles": UNKNOWN}, dependencies={"a": (group.urn,)})
    assert scaled_to(group, Resources([group, hidden])) is UNKNOWN


def test_pods_start_machines_in_an_autopilot_cluster_alone() -> None:
    pod = {
        "nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-h100-80gb"},
        "containers": [{"resources": {"limits": {"nvidia.com/gpu": "8"}}}],
    }
    pods = _resource("kubernetes:apps/v1:Deployment", {"spec": {"replicas": 16, "template": {"spec": pod}}}, "pods")
    autopilot = _resource(_GKE, {"enableAutopilot": True}, "cluster")
    assert _found(autopilot, pods) == [("pods", "16 nvidia-h100-80gb", "H100", 128)]
    assert _found(_resource(_GKE, {}, "cluster"), pods) == []
    wanted = {
        "matchExpressions": [{"key": "cloud.google.com/gke-accelerator", "operator": "In", "values": ["nvidia-l4"]}]
    }
    near = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [wanted]}}
    by_affinity = {"containers": pod["containers"], "affinity": {"nodeAffinity": near}}
    job = _resource("kubernetes:batch/v1:Job", {"spec": {"parallelism": 2, "template": {"spec": by_affinity}}}, "job")
    assert _found(autopilot, job) == [("job", "2 nvidia-l4", "L4", 16)]


def test_a_foreign_component_counts_where_its_parts_do_not() -> None:
    inputs = {"instanceTypes": ["p5.48xlarge"], "scalingConfig": {"desiredSize": 64}}
    component = _resource("eks:index:ManagedNodeGroup", inputs, custom=False, remote=True)
    part = _resource(_NODE_GROUP, inputs, "part", parent=component.urn)
    assert _found(component) == [("x", "64 p5.48xlarge", "H100", 512)]
    assert _found(component, part) == [("part", "64 p5.48xlarge", "H100", 512)]
    assert _found(_resource("acme:index:Nodes", inputs, custom=False)) == []


def test_groups_beside_each_other_are_separate_and_alternatives_are_one() -> None:
    groups = [{"instanceType": "p5.48xlarge", "count": 4}, {"instanceType": "p4d.24xlarge", "count": 2}]
    assert [label for _, label, _, _ in _found(_resource("acme:index:Pools", {"groups": groups}))] == [
        "4 p5.48xlarge",
        "2 p4d.24xlarge",
    ]
    fleet = _resource("acme:index:Fleet", {"types": {"instanceTypes": ["p4d.24xlarge", "p5.48xlarge"]}, "count": 4})
    assert [label for _, label, _, _ in _found(fleet)] == ["4 p4d.24xlarge, p5.48xlarge"]


def test_the_cluster_of_machines_is_found_by_reference_and_by_name() -> None:
    cluster = _resource("aws:eks/cluster:Cluster", {"name": "trial"}, "cluster")
    by_name = _resource(_NODE_GROUP, {"clusterName": "trial", "instanceTypes": ["p5.48xlarge"]}, "a")
    referred = _resource(
        _NODE_GROUP, {"instanceTypes": ["p5.48xlarge"]}, "b", dependencies={"clusterName": (cluster.urn,)}
    )
    other = _resource(_NODE_GROUP, {"clusterName": "elsewhere", "instanceTypes": ["p5.48xlarge"]}, "c")
    resources = Resources([cluster, by_name, referred, other])
    assert [named_by(one, resources)[0].cluster for one in (by_name, referred, other)] == [
        cluster.urn,
        cluster.urn,
        "elsewhere",
    ]
