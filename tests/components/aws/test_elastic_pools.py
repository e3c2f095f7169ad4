"""Karpenter on AWS, typed out: the queue and its rules, what the controller may do, the pool and its machines."""

from __future__ import annotations

import json
from typing import Any

import pulumi
import pytest
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs, Mocks

from gpucluster.components.aws.interruption import interruption_queue
from gpucluster.components.aws.karpenter_iam import POLICIES, controller_policies
from gpucluster.components.aws.node_class import node_class
from gpucluster.components.aws.user_data import karpenter_user_data
from gpucluster.components.elastic import PoolPlan
from gpucluster.components.kubernetes.karpenter import node_pool
from gpucluster.components.labelling import labelled, labelled_objects

QUEUE = "arn:aws:sqs:us-east-1:000000000000:queue"
OWN = {"managed-by": "pulumi", "pulumi-project": "project", "pulumi-stack": "stack"}
POLICY_LIMIT = 6144
"""Characters of a managed policy, blanks left out (IAM user guide, IAM and AWS STS quotas)."""


class Recorder(Mocks):
    def __init__(self) -> None:
        self.seen: list[tuple[str, str, dict[str, Any]]] = []

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        self.seen.append((args.typ, args.name, args.inputs))
        known = {"arn": QUEUE, "url": "https://queue"} if args.typ == "aws:sqs/queue:Queue" else {}
        return args.name, {"name": args.name, **args.inputs, **known}

    def call(self, args: MockCallArgs) -> Any:
        raise AssertionError(args.token)


@pytest.fixture
def recorder() -> Recorder:
    found = Recorder()
    pulumi.runtime.set_mocks(found, preview=False)
    return found


def test_the_interruption_queue_and_what_fills_it(recorder: Recorder) -> None:
    @pulumi.runtime.test
    def program() -> None:
        interruption_queue("q", labelled({}, None))

    program()
    policy = {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]},
                "Action": "sqs:SendMessage",
                "Resource": QUEUE,
            },
            {
                "Sid": "DenyHTTP",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "sqs:*",
                "Resource": QUEUE,
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            },
        ],
    }
    expected: list[tuple[str, str, dict[str, Any]]] = [
        (
            "aws:sqs/queue:Queue",
            "q-queue",
            {"messageRetentionSeconds": 300, "sqsManagedSseEnabled": True, "tags": {**OWN, "Name": "q-queue"}},
        ),
        ("aws:sqs/queuePolicy:QueuePolicy", "q-queue-policy", {"queueUrl": "https://queue", "policy": policy}),
    ]
    for suffix, source, kind in (
        ("health", "aws.health", "AWS Health Event"),
        ("spot", "aws.ec2", "EC2 Spot Instance Interruption Warning"),
        ("rebalance", "aws.ec2", "EC2 Instance Rebalance Recommendation"),
        ("state", "aws.ec2", "EC2 Instance State-change Notification"),
        ("reservation", "aws.ec2", "EC2 Capacity Reservation Instance Interruption Warning"),
    ):
        name = f"q-{suffix}"
        expected += [
            (
                "aws:cloudwatch/eventRule:EventRule",
                name,
                {
                    "description": f"{kind} for Karpenter",
                    "eventPattern": {"source": [source], "detail-type": [kind]},
                    "tags": {**OWN, "Name": name},
                },
            ),
            (
                "aws:cloudwatch/eventTarget:EventTarget",
                f"{name}-target",
                {"rule": name, "arn": QUEUE, "targetId": "karpenter"},
            ),
        ]
    found = [
        (
            type_,
            name,
            {key: json.loads(value) if key in ("policy", "eventPattern") else value for key, value in inputs.items()},
        )
        for type_, name, inputs in recorder.seen
    ]
    assert sorted(found, key=lambda item: item[1]) == sorted(expected, key=lambda item: item[1])


def policies(cluster: str = "trial") -> dict[str, Any]:
    return dict(
        controller_policies(
            cluster=cluster,
            cluster_arn=f"arn:aws:eks:us-east-1:000000000000:cluster/{cluster}",
            node_role_arn="arn:aws:iam::000000000000:role/node",
            queue_arn=QUEUE,
            region="us-east-1",
        )
    )


def test_the_controllers_policies_have_the_names_that_are_declared() -> None:
    assert tuple(policies()) == POLICIES


@pytest.mark.parametrize("name", POLICIES)
def test_each_policy_fits_with_the_longest_name_of_a_cluster(name: str) -> None:
    """EKS allows 100 characters."""
    document = json.dumps({"Version": "2012-10-17", "Statement": policies("c" * 100)[name]})
    assert len("".join(document.split())) <= POLICY_LIMIT


def test_one_policy_for_all_would_not_fit() -> None:
    together = [statement for statements in policies("c" * 100).values() for statement in statements]
    document = json.dumps({"Version": "2012-10-17", "Statement": together})
    assert len("".join(document.split())) > POLICY_LIMIT


def test_the_controller_acts_on_its_own_things_only() -> None:
    """Actions on anything, without a condition, are those that only read or have no resource."""
    free = {
        action
        for statements in policies().values()
        for statement in statements
        if statement["Resource"] == "*" and "Condition" not in statement
        for action in statement["Action"]
    }
    assert free == {"pricing:GetProducts", "iam:ListInstanceProfiles"}
    statements = [statement for found in policies().values() for statement in found]
    reads = ("Describe", "Get", "List", "Receive")
    unconditioned = {
        (action, str(statement["Resource"]))
        for statement in statements
        if "Condition" not in statement
        for action in statement["Action"]
        if not action.partition(":")[2].startswith(reads)
    }
    sources = str(
        [
            "arn:aws:ec2:us-east-1::image/*",
            "arn:aws:ec2:us-east-1::snapshot/*",
            "arn:aws:ec2:us-east-1:*:security-group/*",
            "arn:aws:ec2:us-east-1:*:subnet/*",
            "arn:aws:ec2:us-east-1:*:capacity-reservation/*",
            "arn:aws:ec2:us-east-1:*:placement-group/*",
        ]
    )
    # What a launch takes from is not made by it; what it makes is under a condition of its own.
    assert unconditioned == {
        ("ec2:RunInstances", sources),
        ("ec2:CreateFleet", sources),
        ("sqs:DeleteMessage", QUEUE),
    }
    passed = [statement["Resource"] for statement in statements if "iam:PassRole" in statement["Action"]]
    assert passed == ["arn:aws:iam::000000000000:role/node"]


def machines(image: str | None = None) -> dict[str, Any]:
    recorder = Recorder()
    pulumi.runtime.set_mocks(recorder, preview=False)

    @pulumi.runtime.test
    def program() -> None:
        node_class(
            "class",
            object_name="elastic",
            machine_name="node",
            identity={"role": "node"},
            subnet_id="subnet-1",
            security_group_ids=["sg-1"],
            root_gib=200,
            image=image,
            opts=labelled_objects({"team": "ml"}, None),
        )

    program()
    [(type_, name, inputs)] = recorder.seen
    assert (type_, name) == ("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "class")
    spec = inputs["spec"]
    assert spec.pop("userData") == karpenter_user_data()
    return inputs


SPEC: dict[str, Any] = {
    "role": "node",
    "amiSelectorTerms": [{"alias": "al2023@v20260714"}],
    "subnetSelectorTerms": [{"id": "subnet-1"}],
    "securityGroupSelectorTerms": [{"id": "sg-1"}],
    "instanceStorePolicy": "RAID0",
    "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 1},
    "blockDeviceMappings": [
        {
            "deviceName": "/dev/xvda",
            "rootVolume": True,
            "ebs": {"volumeSize": "200Gi", "volumeType": "gp3", "encrypted": True, "deleteOnTermination": True},
        }
    ],
    "tags": {"Name": "node"},
}


def test_the_machines_of_the_elastic_pools_have_no_fabric() -> None:
    assert machines() == {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": "elastic", "labels": {"team": "ml"}},
        "spec": SPEC,
    }


def test_the_pool_grows_to_its_limit_and_never_moves_a_job(recorder: Recorder) -> None:
    @pulumi.runtime.test
    def program() -> None:
        node_pool(
            "pool",
            PoolPlan(
                name="dev",
                max_gpus=8,
                expected_gpus="2",
                purchase=("on-demand", "spot"),
                keep_empty=30,
                expire_after=336,
            ),
            node_class=("karpenter.k8s.aws", "EC2NodeClass", "elastic"),
            machine_types=["p5.4xlarge"],
            zone="us-east-1a",
            opts=labelled_objects({"team": "ml"}, None),
        )

    program()
    assert recorder.seen == [
        (
            "kubernetes:karpenter.sh/v1:NodePool",
            "pool",
            {
                "apiVersion": "karpenter.sh/v1",
                "kind": "NodePool",
                "metadata": {
                    "name": "dev",
                    "labels": {"team": "ml"},
                    "annotations": {"gpucluster/expected-gpus": "2"},
                },
                "spec": {
                    "template": {
                        "metadata": {
                            "labels": {"team": "ml", "gpucluster/pool": "dev", "nvidia.com/gpu.present": "true"}
                        },
                        "spec": {
                            "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "elastic"},
                            "requirements": [
                                {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
                                {
                                    "key": "karpenter.sh/capacity-type",
                                    "operator": "In",
                                    "values": ["on-demand", "spot"],
                                },
                                {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]},
                            ],
                            "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
                            "expireAfter": "336h",
                            "terminationGracePeriod": "24h",
                        },
                    },
                    "limits": {"nvidia.com/gpu": "8"},
                    "disruption": {
                        "consolidationPolicy": "WhenEmpty",
                        "consolidateAfter": "30m",
                        "budgets": [
                            {"nodes": "100%", "reasons": ["Empty"]},
                            {"nodes": "0", "reasons": ["Drifted", "Underutilized"]},
                        ],
                    },
                },
            },
        )
    ]


def test_machines_of_karpenter_have_the_image_of_the_pinned_release() -> None:
    assert machines(image="20260801")["spec"] == {**SPEC, "amiSelectorTerms": [{"alias": "al2023@v20260801"}]}
