"""What a resource refers to is there."""

from __future__ import annotations

import csv
from collections.abc import Callable
from importlib import resources
from typing import Any

import pytest

from gpucluster.sandbox.clouds.aws.cloud import AwsAccount
from gpucluster.sandbox.clouds.aws.rules.references import references_exist
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.schema import Schema

Create = Callable[..., Entry]

ROWS = list(
    csv.DictReader(resources.files("gpucluster.sandbox.clouds.aws").joinpath("references.csv").read_text().splitlines())
)
ACCOUNT = "000000000000"
MADE = {
    "vpc": ("ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16"}),
    "security group": ("ec2/securityGroup:SecurityGroup", {"name": "g"}),
    "gateway": ("ec2/internetGateway:InternetGateway", {}),
    "address": ("ec2/eip:Eip", {}),
    "launch template": ("ec2/launchTemplate:LaunchTemplate", {"name": "t"}),
    "repository": ("ecr/repository:Repository", {"name": "images"}),
    "key": ("kms/key:Key", {}),
    "role": ("iam/role:Role", {"name": "r", "assumeRolePolicy": "{}"}),
    "role ARN": ("iam/role:Role", {"name": "r", "assumeRolePolicy": "{}"}),
    "policy ARN": ("iam/policy:Policy", {"name": "p", "policy": "{}"}),
}
GONE = {
    "role ARN": f"arn:aws:iam::{ACCOUNT}:role/gone",
    "policy ARN": f"arn:aws:iam::{ACCOUNT}:policy/gone",
    "key": f"arn:aws:kms:us-east-1:{ACCOUNT}:key/gone",
}


def there(create: Create, kind: str) -> str:
    """The id, name or ARN of a thing of a kind that is there."""
    if kind in ("subnet", "route table", "NAT gateway"):
        vpc = create("ec2/vpc:Vpc", "v", cidrBlock="10.0.0.0/16").id
        if kind == "route table":
            return create("ec2/routeTable:RouteTable", vpcId=vpc).id
        subnet = create("ec2/subnet:Subnet", vpcId=vpc, cidrBlock="10.0.0.0/24").id
        return subnet if kind == "subnet" else create("ec2/natGateway:NatGateway", subnetId=subnet).id
    token, inputs = MADE[kind]
    made = create(token, **inputs)
    return made.outputs["arn"] if kind.endswith("ARN") else made.id


def nested(path: str, value: str) -> dict[str, Any]:
    """Inputs with a value at a path."""
    name, _, rest = path.partition(".")
    inner = nested(rest, value) if rest else value
    return {name.removesuffix("[]"): [inner] if name.endswith("[]") else inner}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['type'].split(':')[1]}.{row['path']}")
def test_a_reference_to_nothing_is_refused_and_one_to_a_thing_is_taken(
    account: AwsAccount, aws: Callable[..., Resource], create: Create, row: dict[str, str]
) -> None:
    def judge(value: str) -> None:
        references_exist(account.managed(aws(row["type"].removeprefix("aws:"), **nested(row["path"], value))))

    judge(there(create, row["kind"]))
    with pytest.raises(CloudError, match=rf"api error {row['code']}: .*gone"):
        judge(GONE.get(row["kind"], "gone"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['type'].split(':')[1]}.{row['path']}")
def test_every_row_is_of_an_input_that_the_sdk_has(schemas: dict[str, Schema], row: dict[str, str]) -> None:
    type_ = schemas["aws"].resource_type(row["type"])
    assert type_ is not None
    properties, inner = type_.inputs, None
    for name in row["path"].split("."):
        inner = properties[name.removesuffix("[]")].type
        inner = inner["list"] if name.endswith("[]") else inner
        properties = type_.types[inner["ref"]] if "ref" in inner else {}
    assert inner == "str"


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        ("ec2/route:Route", {"gatewayId": "local"}),
        ("ec2/route:Route", {"gatewayId": "vgw-1"}),
        ("eks/cluster:Cluster", {"roleArn": "arn:aws:iam::123456789012:role/elsewhere"}),
        (
            "iam/rolePolicyAttachment:RolePolicyAttachment",
            {"policyArn": "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"},
        ),
        ("ec2/flowLog:FlowLog", {"iamRoleArn": f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/x.amazonaws.com/X"}),
    ],
)
def test_what_aws_or_another_account_keeps_is_taken_on_trust(
    account: AwsAccount, aws: Callable[..., Resource], token: str, inputs: dict[str, Any]
) -> None:
    references_exist(account.managed(aws(token, **inputs)))


def test_the_groups_and_tables_that_come_with_a_vpc_or_a_cluster_are_there(
    account: AwsAccount, aws: Callable[..., Resource], create: Create
) -> None:
    vpc = create("ec2/vpc:Vpc", cidrBlock="10.0.0.0/16")
    subnets = [
        create("ec2/subnet:Subnet", z, vpcId=vpc.id, cidrBlock=f"10.0.{at}.0/24", availabilityZone=f"us-east-1{z}").id
        for at, z in enumerate("ab")
    ]
    cluster = create("eks/cluster:Cluster", name="c", roleArn="r", vpcConfig={"subnetIds": subnets})
    groups = [vpc.outputs["defaultSecurityGroupId"], cluster.outputs["vpcConfig"]["clusterSecurityGroupId"]]
    for group in groups:
        rule = aws("vpc/securityGroupIngressRule:SecurityGroupIngressRule", securityGroupId=group, ipProtocol="-1")
        references_exist(account.managed(rule))
    references_exist(
        account.managed(aws("ec2/route:Route", routeTableId=vpc.outputs["mainRouteTableId"], gatewayId="local"))
    )
