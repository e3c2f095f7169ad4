"""What a stack left on AWS: on moto's server, and by answers that botocore's models allow where moto has none."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import boto3
import pytest

from gpucluster.operate.account.inventories import aws
from gpucluster.operate.clients.aws.caller import Caller
from tests.gpucluster.operate.preflight.aws.stubs import Stubs

Run = Callable[..., tuple[int, str]]
Left = Callable[..., tuple[int, list[dict[str, Any]]]]
ACCOUNT = "us-east-1:123456789012"
EC2 = f"arn:aws:ec2:{ACCOUNT}"
EKS = f"arn:aws:eks:{ACCOUNT}"
CLUSTER = "trial-aws-trial"
FILTERS = [
    {"Name": "tag:pulumi-project", "Values": ["gpucluster"]},
    {"Name": "tag:pulumi-stack", "Values": ["aws-trial"]},
]


def tags(stack: str = "aws-trial") -> list[dict[str, str]]:
    return [{"Key": "pulumi-project", "Value": "gpucluster"}, {"Key": "pulumi-stack", "Value": stack}]


def of(kind: str, stack: str = "aws-trial") -> Any:
    return [{"ResourceType": kind, "Tags": tags(stack)}]


def service(name: str) -> Any:
    """A client of the test's own, in moto's account."""
    return boto3.client(name, "us-east-1")  # pyright: ignore


def network(stack: str = "aws-trial") -> tuple[str, str]:
    """The ids of a VPC and of its subnet."""
    ec2 = service("ec2")
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16", TagSpecifications=of("vpc", stack))["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.0.0/24", TagSpecifications=of("subnet", stack))
    return vpc, subnet["Subnet"]["SubnetId"]


def gateway(subnet: str, stack: str = "aws-trial") -> tuple[str, str]:
    """The ids of a NAT gateway and of its address."""
    ec2 = service("ec2")
    address = ec2.allocate_address(TagSpecifications=of("elastic-ip", stack))["AllocationId"]
    made = ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address, TagSpecifications=of("natgateway", stack))
    return made["NatGateway"]["NatGatewayId"], address


def machine(subnet: str, stack: str = "aws-trial") -> str:
    ec2 = service("ec2")
    made = ec2.run_instances(
        ImageId="ami-12c6146b",
        InstanceType="p5.48xlarge",
        SubnetId=subnet,
        MinCount=1,
        MaxCount=1,
        TagSpecifications=of("instance", stack),
    )
    return made["Instances"][0]["InstanceId"]


def test_after_a_clean_destroy_nothing_is_left_though_aws_still_lists_what_was_there(run: Run, moto: Caller) -> None:
    ec2, kms = service("ec2"), service("kms")
    vpc, subnet = network()
    nat, address = gateway(subnet)
    machines = [machine(subnet)]
    key = kms.create_key(Tags=[{"TagKey": one["Key"], "TagValue": one["Value"]} for one in tags()])
    kms.schedule_key_deletion(KeyId=key["KeyMetadata"]["KeyId"])
    ec2.terminate_instances(InstanceIds=machines)
    ec2.delete_nat_gateway(NatGatewayId=nat)
    ec2.release_address(AllocationId=address)
    ec2.delete_subnet(SubnetId=subnet)
    ec2.delete_vpc(VpcId=vpc)
    tagged = service("resourcegroupstaggingapi").get_resources()["ResourceTagMappingList"]
    kinds = {one["ResourceARN"].split(":", 5)[5].split("/")[0] for one in tagged}
    assert kinds >= {"natgateway", "key"}
    assert run("aws-trial") == (0, "aws-trial: nothing is left.\n")
    assert moto.account == "123456789012"


@pytest.mark.usefixtures("moto")
def test_two_stacks_in_one_account_are_kept_apart(run: Run, left: Left) -> None:
    here, there = gateway(network()[1]), gateway(network("aws-trial-canary")[1], "aws-trial-canary")
    code, found = left("aws-trial")
    ids = {one["id"].rpartition("/")[2] for one in found}
    assert code == 1
    assert here[0] in ids
    assert not ids & {*there}
    service("ec2").delete_nat_gateway(NatGatewayId=here[0])
    assert run("aws-trial")[1].count("natgateway") == 0


@pytest.mark.usefixtures("moto")
def test_the_log_group_that_eks_writes_anew_is_found_by_its_name(left: Left) -> None:
    logs = service("logs")
    for cluster in (CLUSTER, f"{CLUSTER}-canary"):
        logs.create_log_group(logGroupName=f"/aws/eks/{cluster}/cluster")
    assert left("aws-trial") == (
        1,
        [
            {
                "kind": "logs:log-group",
                "id": f"arn:aws:logs:{ACCOUNT}:log-group:/aws/eks/{CLUSTER}/cluster",
                "usd_a_day": None,
                "cost": "unknown: billed by stored or ingested data",
                "remove": f"aws logs delete-log-group --log-group-name /aws/eks/{CLUSTER}/cluster --region us-east-1",
            }
        ],
    )


@pytest.mark.usefixtures("moto")
def test_an_empty_account_has_nothing_left(run: Run) -> None:
    assert run("aws-trial") == (0, "aws-trial: nothing is left.\n")


@pytest.mark.usefixtures("moto")
def test_another_account_is_refused(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "stacks/Pulumi.aws-trial.yaml"
    file.write_text(file.read_text().replace("123456789012", "000000000001"))
    assert run("aws-trial") == (
        2, "error: account: the login is in account 123456789012, and the stack's account is 000000000001; log in to "
        "that account, or correct gpucluster:account: `pulumi config set gpucluster:account 123456789012`\n",
    )  # fmt: skip


@pytest.fixture
def answering(stubs: Stubs, monkeypatch: pytest.MonkeyPatch) -> Stubs:
    """An account that answers what a test adds; no log groups without tags."""
    caller = Caller(session=stubs, region="us-east-1", account="123456789012")
    monkeypatch.setattr(aws, "caller_at", lambda _: replace(caller))
    return stubs


def tagged(stubs: Stubs, *arns: str, page: str = "", following: str = "") -> None:
    request = {"TagFilters": [{"Key": one["Key"], "Values": [one["Value"]]} for one in tags()]}
    request |= {"PaginationToken": page} if page else {}
    answer = {"ResourceTagMappingList": [{"ResourceARN": arn} for arn in arns]}
    answer |= {"PaginationToken": following} if following else {}
    stubs.add("resourcegroupstaggingapi", "get_resources", answer, request)


def no_logs(stubs: Stubs) -> None:
    stubs.add("logs", "describe_log_groups", {"logGroups": []}, {"logGroupNamePrefix": f"/aws/eks/{CLUSTER}/cluster"})


def instance(id_: str, *, group: str = "", state: str = "running", **more: Any) -> dict[str, Any]:
    of_group = {"eks:nodegroup-name": group, "eks:cluster-name": CLUSTER} if group else {}
    return {
        "InstanceId": id_,
        "InstanceType": "p5.4xlarge",
        "State": {"Name": state},
        "Tags": [{"Key": key, "Value": value} for key, value in of_group.items()],
        **more,
    }


def test_a_half_failed_destroy_is_told_in_an_order_that_works(run: Run, answering: Stubs) -> None:
    group = f"{EKS}:nodegroup/{CLUSTER}/training/1a2b"
    tagged(
        answering,
        f"{EC2}:vpc/vpc-1",
        f"{EC2}:subnet/subnet-1",
        f"{EC2}:elastic-ip/eipalloc-1",
        f"{EC2}:natgateway/nat-1",
        f"{EC2}:instance/i-1",
        f"{EC2}:instance/i-2",
        f"{EC2}:volume/vol-1",
        following="2",
    )
    tagged(
        answering,
        f"{EKS}:cluster/{CLUSTER}",
        f"{EKS}:addon/{CLUSTER}/vpc-cni/3c4d",
        group,
        f"{EC2}:security-group/sg-1",
        page="2",
    )
    no_logs(answering)
    answering.add("ec2", "describe_instances", {"Reservations": [{"Instances": [
        instance("i-1", group="training"), instance("i-2")]}]}, {"Filters": FILTERS})  # fmt: skip
    attached = [{"InstanceId": "i-1", "DeleteOnTermination": True}]
    volume = {"VolumeId": "vol-1", "Size": 500, "VolumeType": "gp3", "State": "in-use", "Attachments": attached}
    answering.add("ec2", "describe_volumes", {"Volumes": [volume]}, {"Filters": FILTERS})
    nats = {"NatGateways": [{"NatGatewayId": "nat-1", "State": "available"}]}
    answering.add("ec2", "describe_nat_gateways", nats, {"Filter": FILTERS})
    answering.add("ec2", "describe_addresses", {"Addresses": [{"AllocationId": "eipalloc-1"}]}, {"Filters": FILTERS})
    answering.add("eks", "describe_cluster", {"cluster": {"status": "ACTIVE"}}, {"name": CLUSTER})
    names = {"clusterName": CLUSTER, "nodegroupName": "training"}
    answering.add("eks", "describe_nodegroup", {"nodegroup": {"status": "DELETE_FAILED"}}, names)
    waits = f"--cluster-name {CLUSTER} --nodegroup-name training --region us-east-1"
    assert run("aws-trial") == (
        1,
        f"""\
eks:nodegroup  {group}
  no charge: its machines are billed by themselves
  aws eks delete-nodegroup {waits} && aws eks wait nodegroup-deleted {waits}
eks:cluster  {EKS}:cluster/{CLUSTER}
  $2.40 a day
  aws eks delete-cluster --name {CLUSTER} --region us-east-1 && aws eks wait cluster-deleted --name {CLUSTER} \
--region us-east-1
ec2:instance  {EC2}:instance/i-1
  $165.12 a day
  goes with {group}
ec2:instance  {EC2}:instance/i-2
  $165.12 a day
  aws ec2 terminate-instances --instance-ids i-2 --region us-east-1 && aws ec2 wait instance-terminated --instance-ids \
i-2 --region us-east-1
ec2:natgateway  {EC2}:natgateway/nat-1
  $1.08 a day, and by use
  aws ec2 delete-nat-gateway --nat-gateway-id nat-1 --region us-east-1 && aws ec2 wait nat-gateway-deleted \
--nat-gateway-ids nat-1 --region us-east-1
ec2:volume  {EC2}:volume/vol-1
  $1.32 a day
  goes with {group}
ec2:elastic-ip  {EC2}:elastic-ip/eipalloc-1
  $0.12 a day
  aws ec2 release-address --allocation-id eipalloc-1 --region us-east-1
free of charge (--format json lists each with its command): ec2:security-group, ec2:subnet, ec2:vpc, eks:addon
aws-trial: 11 left, $335.16 a day
""",
    )


def test_what_is_free_is_free(run: Run, answering: Stubs) -> None:
    free = {
        f"{EKS}:podidentityassociation/{CLUSTER}/a-1": "eks:podidentityassociation",
        f"{EKS}:access-entry/{CLUSTER}/role/123456789012/up/1a": "eks:access-entry",
        f"{EC2}:placement-group/pg-1": "ec2:placement-group",
        f"{EC2}:route-table/rtb-1": "ec2:route-table",
        f"{EC2}:internet-gateway/igw-1": "ec2:internet-gateway",
        f"{EC2}:vpc-flow-log/fl-1": "ec2:vpc-flow-log",
        f"{EC2}:security-group-rule/sgr-1": "ec2:security-group-rule",
        f"{EC2}:network-interface/eni-1": "ec2:network-interface",
        f"{EC2}:vpc-endpoint/vpce-1": "ec2:vpc-endpoint",
        f"{EC2}:instance/i-off": "ec2:instance",
        f"arn:aws:events:{ACCOUNT}:rule/trial-spot": "events:rule",
        f"arn:aws:aps:{ACCOUNT}:rulegroupsnamespace/ws-1/trial": "aps:rulegroupsnamespace",
    }
    tagged(answering, *free, f"{EC2}:instance/i-gone", f"{EC2}:instance/i-going")
    no_logs(answering)
    machines = [instance("i-off", state="stopped"), instance("i-gone", state="terminated"),
                instance("i-going", state="shutting-down")]  # fmt: skip
    answering.add("ec2", "describe_instances", {"Reservations": [{"Instances": machines}]})
    endpoint = {"VpcEndpointId": "vpce-1", "VpcEndpointType": "Gateway", "State": "available"}
    answering.add("ec2", "describe_vpc_endpoints", {"VpcEndpoints": [endpoint]})
    answering.add("ec2", "describe_network_interfaces", {"NetworkInterfaces": [{"NetworkInterfaceId": "eni-1"}]})
    code, text = run("aws-trial")
    listed = text.splitlines()[0].partition(": ")[2].split(", ")
    assert (code, {*listed}) == (0, {*free.values()}), text


def test_sizes_have_their_price_and_spot_none_is_known_of_is_unknown(left: Left, answering: Stubs) -> None:
    lustre = f"arn:aws:fsx:{ACCOUNT}:file-system/fs-0123456789"
    tagged(answering, lustre, f"{EC2}:instance/i-spot", f"{EC2}:vpc-endpoint/vpce-1")
    no_logs(answering)
    answering.add("ec2", "describe_instances", {"Reservations": [{"Instances": [
        instance("i-spot", InstanceLifecycle="spot")]}]})  # fmt: skip
    endpoint = {"VpcEndpointId": "vpce-1", "VpcEndpointType": "Interface", "State": "available", "SubnetIds": ["s"]}
    answering.add("ec2", "describe_vpc_endpoints", {"VpcEndpoints": [endpoint]})
    tier = {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125}
    system = {"FileSystemId": "fs-0123456789", "Lifecycle": "AVAILABLE", "StorageCapacity": 12000, "StorageType": "SSD"}
    answering.add("fsx", "describe_file_systems", {"FileSystems": [{**system, "LustreConfiguration": tier}]})
    code, found = left("aws-trial")
    assert (code, {one["kind"]: one["usd_a_day"] for one in found}) == (
        1,
        {
            "fsx:file-system": "57.21",  # 12,000 GiB of $0.145 a month
            "ec2:instance": None,
            "ec2:vpc-endpoint": "0.24",  # 24 hours of $0.01
        },
    )


def test_what_aws_no_longer_knows_is_gone(run: Run, answering: Stubs) -> None:
    tagged(answering, f"{EKS}:cluster/{CLUSTER}", f"arn:aws:kms:{ACCOUNT}:key/k-1")
    no_logs(answering)
    answering.fail("eks", "describe_cluster", "ResourceNotFoundException")
    answering.fail("kms", "describe_key", "NotFoundException")
    assert run("aws-trial") == (0, "aws-trial: nothing is left.\n")


@pytest.mark.parametrize(
    ("code", "text", "line"),
    [
        ("ExpiredTokenException", "", "account: the AWS login has expired (ExpiredTokenException); log in again: "
         "`aws sso login`"),
        ("ThrottlingException", "", "account: AWS throttles GetResources (ThrottlingException); ask again in a minute"),
        ("AccessDeniedException", "User: u is not authorized to perform: tag:GetResources",
         "account: the login may not call tag:GetResources (AccessDeniedException); allow it"),
        ("UnrecognizedClientException", "", "account: AWS does not accept the credentials "
         "(UnrecognizedClientException); check the profile and its keys, and that the account has enabled the region: "
         "`aws sts get-caller-identity`"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_clear_line(run: Run, answering: Stubs, code: str, text: str, line: str) -> None:
    answering.fail("resourcegroupstaggingapi", "get_resources", code, text)
    assert run("aws-trial") == (2, f"error: {line}\n")


def test_a_state_that_may_not_be_asked_is_not_guessed(run: Run, answering: Stubs) -> None:
    tagged(answering, f"arn:aws:kms:{ACCOUNT}:key/k-1")
    no_logs(answering)
    answering.fail(
        "kms", "describe_key", "AccessDeniedException", "User: u is not authorized to perform: kms:DescribeKey"
    )
    assert run("aws-trial") == (
        2, "error: account: the login may not call kms:DescribeKey (AccessDeniedException); allow it\n"
    )  # fmt: skip


def test_no_answer_and_no_login_are_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    code, text = run("aws-trial")
    assert (code, text.count("\n"), text[:34]) == (2, 1, "error: account: no answer from AWS")
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    assert run("aws-trial") == (
        2, "error: account: there are no AWS credentials; log in, or set AWS_PROFILE to a profile that can: "
        "`aws sso login`\n",
    )  # fmt: skip


def test_no_answer_in_time_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server accepts connections and is silent."""
    monkeypatch.setattr("gpucluster.operate.clients.aws.caller._READ_S", 0.2)
    monkeypatch.setattr("gpucluster.operate.clients.aws.caller._TRIES", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        code, text = run("aws-trial")
    assert (code, text.count("\n")) == (2, 1)
    assert text.startswith("error: account: no answer from AWS: Read timeout")


def test_a_stack_that_is_not_there_is_no_account(run: Run) -> None:
    code, text = run("aws-tria")
    assert (code, text.splitlines()[0]) == (2, "error: stack aws-tria: 1 problem")
