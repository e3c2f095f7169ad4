"""Karpenter on AWS, typed out: the queue and its rules, what the controller may do, the pool and its machines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.components.aws.pools.karpenter_iam import POLICIES, controller_policies
from gpucluster.cost.pricing import plan_prices
from tests.components.told import refused

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


def _of_karpenter(registered: dict[str, Any]) -> tuple[dict[str, Any], Any]:
    """(the overlays by name in the cluster, the feature gates) that a cluster declares."""
    found = [one.inputs for one in registered.values() if one.typ == "kubernetes:karpenter.sh/v1alpha1:NodeOverlay"]
    overlays = {one["metadata"]["name"]: one["spec"] for one in found}
    return overlays, registered["trial-elastic-karpenter"].inputs["values"]["settings"].get("featureGates")


def test_the_user_s_own_prices_become_overlays_that_karpenter_reads(
    register: Callable[..., dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the two ways to buy the pools' machine one has such a price; the price of another machine is none of them."""
    own = "provider,region,sku,unit,purchase,term,usd_per_unit,as_of,source\n"
    own += "aws,us-east-1,p5.4xlarge,instance-hour,on_demand,,5.50,2026-11-01,contract\n"
    own += "aws,us-east-1,p5.48xlarge,instance-hour,on_demand,,41.28,2026-11-01,contract\n"
    (tmp_path / "own.csv").write_text(own)
    monkeypatch.setenv("GPUCLUSTER_PRICES", str(tmp_path / "own.csv"))
    pools = {"dev": {"max_gpus": 8, "purchase": ["spot", "on-demand"]}}
    with_prices, without = (
        register(prices=plan_prices, elastic={"pools": pools, "own_prices": chosen}) for chosen in (True, False)
    )
    assert _of_karpenter(with_prices) == (
        {
            "elastic-on-demand": {
                "requirements": [
                    {"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["p5.4xlarge"]},
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
                ],
                "price": "5.5",
            }
        },
        {"nodeOverlay": True},
    )
    assert _of_karpenter(without) == ({}, None)
    monkeypatch.delenv("GPUCLUSTER_PRICES")
    assert _of_karpenter(register(prices=plan_prices, elastic={"pools": pools, "own_prices": True})) == ({}, None)


@pytest.mark.parametrize("cloud", ["azure", "gcp"])
def test_own_prices_are_refused_where_karpenter_takes_none(vary: Callable[..., Any], cloud: str) -> None:
    spec = vary(elastic={"own_prices": True, "pools": {"dev": {"max_gpus": 8}}})
    assert [text for text in refused(cloud, spec) if text.startswith("elastic.own_prices is true, but ")] != []
