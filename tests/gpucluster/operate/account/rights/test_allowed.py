"""The policies that `gpucluster rights` writes, enforced by moto like IAM: they allow what the provider calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
import requests
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

from gpucluster.core.program.resources import Resources
from gpucluster.operate.account.rights import aws
from gpucluster.operate.account.rights.command import rights_in

TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
    }
)
POLICY = json.dumps(
    {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sqs:SendMessage", "Resource": "*"}]}
)
TAGS = [{"Key": "cluster", "Value": "trial"}]
Client = Callable[[str], Any]
Life = Callable[[Client], None]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Its address."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def deployer(server: str) -> Iterator[Callable[..., Client]]:
    """Makes clients of a user who has the policies for some types, without the actions that are named after them."""

    def client(name: str, **login: str) -> Any:
        keys = {"aws_access_key_id": "testing", "aws_secret_access_key": "testing", **login}
        return boto3.client(name, region_name="us-east-1", endpoint_url=server, **keys)  # pyright: ignore

    def enforce(*, after: int | float) -> None:
        requests.post(f"{server}/moto-api/reset-auth", data=str(after), timeout=60).raise_for_status()

    def make(types: list[str], *without: str) -> Client:
        requests.post(f"{server}/moto-api/reset", timeout=60).raise_for_status()
        rights = {type_: tuple(one for one in rights_in("aws")[type_] if one not in without) for type_ in types}
        iam = client("iam")
        iam.create_user(UserName="deployer")
        for number, policy in enumerate(aws.document(rights, Resources([]))):
            made = iam.create_policy(PolicyName=f"up-{number}", PolicyDocument=json.dumps(policy))
            iam.attach_user_policy(UserName="deployer", PolicyArn=made["Policy"]["Arn"])
        key = iam.create_access_key(UserName="deployer")["AccessKey"]
        enforce(after=0)
        login = {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": key["SecretAccessKey"]}
        return lambda name: client(name, **login)

    yield make
    enforce(after=float("inf"))


# What the provider calls for a resource from its creation to its end, in its order; each call once.
# Source: hashicorp/terraform-provider-aws, the files that the table names.


def network(of: Client) -> None:
    ec2 = of("ec2")
    tags = [{"ResourceType": "vpc", "Tags": TAGS}]
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=tags)["Vpc"]["VpcId"]
    ec2.modify_vpc_attribute(VpcId=vpc, EnableDnsHostnames={"Value": True})
    ec2.describe_vpc_attribute(VpcId=vpc, Attribute="enableDnsHostnames")
    ec2.describe_route_tables(Filters=[{"Name": "vpc-id", "Values": [vpc]}])
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24")["Subnet"]["SubnetId"]
    group = ec2.create_security_group(GroupName="nodes", Description="nodes", VpcId=vpc)["GroupId"]
    permission = {"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443, "IpRanges": [{"CidrIp": "10.0.0.0/16"}]}
    made = ec2.authorize_security_group_ingress(GroupId=group, IpPermissions=[permission])
    rule = made["SecurityGroupRules"][0]["SecurityGroupRuleId"]
    ec2.create_tags(Resources=[rule], Tags=TAGS)
    ec2.describe_security_group_rules(SecurityGroupRuleIds=[rule])
    ec2.revoke_security_group_ingress(GroupId=group, SecurityGroupRuleIds=[rule])
    ec2.describe_network_interfaces(Filters=[{"Name": "group-id", "Values": [group]}])
    ec2.delete_security_group(GroupId=group)
    ec2.describe_network_interfaces(Filters=[{"Name": "subnet-id", "Values": [subnet]}])
    ec2.delete_subnet(SubnetId=subnet)
    ec2.delete_vpc(VpcId=vpc)


def machines(of: Client) -> None:
    ec2 = of("ec2")
    data = {"InstanceType": "p5.48xlarge"}
    made = ec2.create_launch_template(LaunchTemplateName="nodes", LaunchTemplateData=data)["LaunchTemplate"]
    id_ = made["LaunchTemplateId"]
    ec2.describe_launch_templates(LaunchTemplateIds=[id_])
    ec2.describe_launch_template_versions(LaunchTemplateId=id_)
    ec2.create_launch_template_version(LaunchTemplateId=id_, LaunchTemplateData=data)
    ec2.modify_launch_template(LaunchTemplateId=id_, DefaultVersion="2")
    ec2.delete_launch_template(LaunchTemplateId=id_)


def roles(of: Client) -> None:
    iam = of("iam")
    iam.create_role(RoleName="nodes", AssumeRolePolicyDocument=TRUST, Tags=TAGS)
    policy = iam.create_policy(PolicyName="nodes", PolicyDocument=POLICY, Tags=TAGS)["Policy"]["Arn"]
    iam.attach_role_policy(RoleName="nodes", PolicyArn=policy)
    iam.list_attached_role_policies(RoleName="nodes")
    iam.create_instance_profile(InstanceProfileName="nodes", Tags=TAGS)
    iam.tag_instance_profile(InstanceProfileName="nodes", Tags=TAGS)
    iam.add_role_to_instance_profile(InstanceProfileName="nodes", RoleName="nodes")
    iam.get_role(RoleName="nodes")
    iam.list_instance_profiles_for_role(RoleName="nodes")
    iam.remove_role_from_instance_profile(InstanceProfileName="nodes", RoleName="nodes")
    iam.delete_instance_profile(InstanceProfileName="nodes")
    version = iam.create_policy_version(PolicyArn=policy, PolicyDocument=POLICY)["PolicyVersion"]["VersionId"]
    iam.set_default_policy_version(PolicyArn=policy, VersionId=version)
    iam.detach_role_policy(RoleName="nodes", PolicyArn=policy)
    iam.delete_role(RoleName="nodes")
    iam.list_policy_versions(PolicyArn=policy)
    iam.delete_policy_version(PolicyArn=policy, VersionId="v1")
    iam.delete_policy(PolicyArn=policy)


def storage(of: Client) -> None:
    s3 = of("s3")
    s3.create_bucket(Bucket="data")
    s3.put_bucket_tagging(Bucket="data", Tagging={"TagSet": TAGS})
    s3.get_bucket_acl(Bucket="data")
    s3.get_bucket_versioning(Bucket="data")
    s3.get_bucket_logging(Bucket="data")
    s3.list_object_versions(Bucket="data")
    s3.delete_bucket(Bucket="data")


LIVES: dict[Life, list[str]] = {
    network: [
        "aws:ec2/vpc:Vpc",
        "aws:ec2/subnet:Subnet",
        "aws:ec2/securityGroup:SecurityGroup",
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
    ],
    machines: ["aws:ec2/launchTemplate:LaunchTemplate"],
    roles: [
        "aws:iam/instanceProfile:InstanceProfile",
        "aws:iam/policy:Policy",
        "aws:iam/role:Role",
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    ],
    storage: ["aws:s3/bucket:Bucket"],
}


@pytest.mark.parametrize("life", LIVES, ids=lambda life: life.__name__)
def test_the_policies_allow_what_the_provider_calls(life: Life, deployer: Callable[..., Client]) -> None:
    life(deployer(LIVES[life]))


@pytest.mark.parametrize(
    ("life", "action", "operation"),
    [
        (network, "ec2:DescribeNetworkInterfaces", "DescribeNetworkInterfaces"),
        (machines, "ec2:ModifyLaunchTemplate", "ModifyLaunchTemplate"),
        (roles, "iam:ListInstanceProfilesForRole", "ListInstanceProfilesForRole"),
        (roles, "iam:TagInstanceProfile", "TagInstanceProfile"),
        (storage, "s3:ListBucketVersions", "ListObjectVersions"),
    ],
)
def test_without_one_action_its_call_is_denied(
    life: Life, action: str, operation: str, deployer: Callable[..., Client]
) -> None:
    with pytest.raises(ClientError, match=r"not authorized|AccessDenied|Access Denied") as denied:
        life(deployer(LIVES[life], action))
    assert denied.value.operation_name == operation
