"""`gpucluster rights` on the plans of the trials, and on a type that no source tells of."""

from __future__ import annotations

import csv
import gzip
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.components.cluster.cloud import CLOUDS
from gpucluster.core.program.readers.files import read_text
from gpucluster.operate.account.rights.command import rights_in
from tests.components.recorded import plan_of, spec_names

ROOT = Path(__file__).parents[5]

# Typed by hand: what a cluster can't be made or removed without.
LEAST = {
    "aws": {
        "ec2:CreateVpc",
        "ec2:DeleteVpc",
        "ec2:CreateLaunchTemplate",
        "ec2:RunInstances",
        "eks:CreateCluster",
        "eks:DeleteCluster",
        "eks:CreateNodegroup",
        "fsx:CreateFileSystem",
        "fsx:DeleteFileSystem",
        "iam:CreateRole",
        "iam:PassRole",
        "kms:CreateKey",
        "kms:ScheduleKeyDeletion",
        "sqs:CreateQueue",
        "aps:CreateWorkspace",
    },
    "gcp": {
        "roles/cloudkms.admin",
        "roles/compute.networkAdmin",
        "roles/container.admin",
        "roles/iam.serviceAccountUser",
        "roles/lustre.admin",
        "roles/resourcemanager.projectIamAdmin",
    },
    "azure": {
        "Microsoft.Authorization/roleAssignments/write",
        "Microsoft.ContainerService/managedClusters/delete",
        "Microsoft.ContainerService/managedClusters/listClusterUserCredential/action",
        "Microsoft.ContainerService/managedClusters/write",
        "Microsoft.Network/virtualNetworks/subnets/join/action",
        "Microsoft.Resources/subscriptions/resourceGroups/write",
        "Microsoft.StorageCache/amlFilesystems/write",
    },
}


def state(cloud: str) -> str:
    """The trial as it stood once."""
    with gzip.open(ROOT / f"tests/stacks/standing/{cloud}-trial.json.gz", "rt") as file:
        return json.dumps({"version": 3, "deployment": {"resources": json.load(file)}})


def told(text: str) -> tuple[int, dict[str, Any], str]:
    done = CliRunner().invoke(main, ["rights"], input=text)
    return done.exit_code, json.loads(done.stdout), done.stderr


def allowed(cloud: str, documents: dict[str, Any]) -> set[str]:
    match cloud:
        case "aws":
            return {action for policy in documents["aws"] for one in policy["Statement"] for action in one["Action"]}
        case "gcp":
            return set(documents["gcp"])
        case _:
            return set(documents["azure"]["Actions"])


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_rights_of_a_trial_are_told_without_a_wildcard(cloud: str) -> None:
    code, documents, said = told(state(cloud))
    assert (code, documents["unknown"], said) == (0, [], "")
    assert {*documents} == {cloud, "unknown"}
    found = allowed(cloud, documents)
    assert LEAST[cloud] <= found
    assert [action for action in found if "*" in action] == []


@pytest.mark.parametrize("cloud", CLOUDS)
def test_every_right_is_that_of_a_type_of_the_plan(cloud: str) -> None:
    """Without one type, what no other type asks for is not allowed."""
    whole = json.loads(state(cloud))
    kept = {"aws": "fsx", "gcp": "lustre", "azure": "storagecache"}[cloud]
    resources = [one for one in whole["deployment"]["resources"] if f":{kept}" not in one["type"]]
    _, documents, _ = told(json.dumps({**whole, "deployment": {"resources": resources}}))
    words = {"aws": "fsx:", "gcp": "roles/lustre.", "azure": "Microsoft.StorageCache/"}[cloud]
    assert [action for action in allowed(cloud, documents) if action.startswith(words)] == []


def test_azures_role_is_for_every_subscription_that_a_plan_writes_to() -> None:
    whole, here = json.loads(state("azure")), "00000000-0000-0000-0000-000000000000"
    for one in whole["deployment"]["resources"]:
        if one["type"].endswith(":RoleAssignment"):
            one["inputs"]["scope"] = one["inputs"]["scope"].replace(here, f"{here[:-1]}C")
    _, documents, _ = told(json.dumps(whole))
    assert documents["azure"]["AssignableScopes"] == [f"/subscriptions/{here}", f"/subscriptions/{here[:-1]}c"]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_rights_of_every_type_that_our_clusters_use_are_known(cloud: str) -> None:
    of = import_module(f"gpucluster.operate.account.rights.{cloud}")
    types = {one.type for name in spec_names(cloud) for one in plan_of(cloud, name).judged if one.custom}
    own = {type_ for type_ in types if type_.partition(":")[0] == of.PACKAGE}
    assert len(own) > 20
    assert [type_ for type_ in sorted(own) if of.rights_of(type_) is None] == []


PROVIDER = re.compile(r"hashicorp/terraform-provider-aws [0-9a-f]{8}, internal/service/[a-z0-9]+/[a-z0-9_]+\.go")

# What only the provider calls; CloudFormation, whose handlers the table lists, does not. Without one of these the first
# `up` of a cluster, the change of a policy, or `destroy` ends with AccessDenied.
# Source: hashicorp/terraform-provider-aws, the files that the table names.
CALLS = {
    "aws:ec2/eip:Eip": {"ec2:DescribeAddressesAttribute"},
    "aws:ec2/vpcEndpoint:VpcEndpoint": {"ec2:DescribeNetworkInterfaces", "ec2:DescribePrefixLists"},
    "aws:ecr/repositoryCreationTemplate:RepositoryCreationTemplate": {
        "ecr:CreateRepositoryCreationTemplate",
        "ecr:DeleteRepositoryCreationTemplate",
        "ecr:DescribeRepositoryCreationTemplates",
        "ecr:UpdateRepositoryCreationTemplate",
    },
    "aws:ec2/launchTemplate:LaunchTemplate": {"ec2:DescribeLaunchTemplateVersions", "ec2:ModifyLaunchTemplate"},
    "aws:ec2/securityGroup:SecurityGroup": {
        "ec2:DeleteNetworkInterface",
        "ec2:DescribeNetworkInterfaces",
        "ec2:DetachNetworkInterface",
    },
    "aws:iam/instanceProfile:InstanceProfile": {"iam:TagInstanceProfile", "iam:UntagInstanceProfile"},
    "aws:iam/policy:Policy": {"iam:SetDefaultPolicyVersion", "iam:TagPolicy", "iam:UntagPolicy"},
    "aws:iam/role:Role": {"iam:ListInstanceProfilesForRole", "iam:RemoveRoleFromInstanceProfile"},
    "aws:s3/bucket:Bucket": {"s3:DeleteObjectVersion", "s3:GetBucketRequestPayment", "s3:ListBucketVersions"},
    "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule": {"ec2:ModifySecurityGroupRules"},
}


@pytest.mark.parametrize("type_", CALLS)
def test_the_rights_include_what_only_the_provider_calls(type_: str) -> None:
    assert CALLS[type_] <= {*(rights_in("aws").get(type_) or ())}


def test_a_policy_is_no_longer_than_a_managed_one_may_be() -> None:
    _, documents, _ = told(state("aws"))
    lengths = [len(json.dumps(policy, separators=(",", ":"))) for policy in documents["aws"]]
    assert max(lengths) <= 6_144
    sids = [one["Sid"] for policy in documents["aws"] for one in policy["Statement"]]
    assert len(sids) == len(set(sids))


def test_a_type_that_no_source_tells_of_is_named() -> None:
    urn = "urn:pulumi:dev::mine::aws:example/marker:Marker::one"
    resource = {"urn": urn, "custom": True, "type": "aws:example/marker:Marker", "outputs": {}}
    code, documents, said = told(json.dumps({"version": 3, "deployment": {"resources": [resource]}}))
    assert (code, documents) == (1, {"unknown": ["aws:example/marker:Marker"]})
    assert said == "unknown permissions of aws:example/marker:Marker; find them out, and allow them too\n"


def test_every_row_has_a_source_and_rights() -> None:
    for cloud in CLOUDS:
        with (ROOT / f"gpucluster/operate/account/rights/{cloud}.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert [row["type"] for row in rows] == sorted({row["type"] for row in rows})
        assert [row["type"] for row in rows if not all((row["source"], len({*row.values()}) > 2))] == []


def test_the_states_are_read_as_plans_are() -> None:
    assert {one.type.partition(":")[0] for one in read_text(state("aws"), "aws")} >= {"aws", "kubernetes"}


def test_every_row_of_aws_names_the_file_of_the_provider_with_its_commit() -> None:
    with (ROOT / "gpucluster/operate/account/rights/aws.csv").open() as file:
        lacking = [row["type"] for row in csv.DictReader(file) if not PROVIDER.match(row["source"])]
    assert lacking == []
