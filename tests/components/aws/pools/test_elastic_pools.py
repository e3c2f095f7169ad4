"""Karpenter on AWS, typed out: the queue and its rules, what the controller may do, the pool and its machines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gpucluster.components.aws.pools.karpenter_iam import POLICIES, controller_policies

QUEUE = "arn:aws:sqs:us-east-1:000000000000:queue"
OWN = {"managed-by": "pulumi", "pulumi-project": "project", "pulumi-stack": "stack"}
POLICY_LIMIT = 6144
"""Characters of a managed policy, blanks left out (IAM user guide, IAM and AWS STS quotas)."""


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
    # A launch reads some resources, and creates others, for which there is a separate condition.
    assert unconditioned == {("ec2:RunInstances", sources), ("ec2:CreateFleet", sources), ("sqs:DeleteMessage", QUEUE)}
    passed = [statement["Resource"] for statement in statements if "iam:PassRole" in statement["Action"]]
    assert passed == ["arn:aws:iam::000000000000:role/node"]


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
