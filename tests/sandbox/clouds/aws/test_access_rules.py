"""What EKS, EC2 and CloudWatch refuse about entries, endpoints, keys and log groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry

Create = Callable[..., Entry]

CLUSTER = "eks/cluster:Cluster"
ENTRY = "eks/accessEntry:AccessEntry"
RIGHTS = "eks/accessPolicyAssociation:AccessPolicyAssociation"
ENDPOINT = "ec2/vpcEndpoint:VpcEndpoint"
GROUP = "cloudwatch/logGroup:LogGroup"
ADMIN = "arn:aws:iam::000000000000:role/admin"
POLICY = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"


@pytest.fixture
def subnets(create: Create) -> dict[str, str]:
    """A VPC whose names resolve, and its subnets: two in zone a, one in zone b."""
    vpc = create("ec2/vpc:Vpc", "v", cidrBlock="10.0.0.0/16", enableDnsHostnames=True).id
    made = {"vpc": vpc}
    for at, (name, zone) in enumerate((("a", "us-east-1a"), ("a2", "us-east-1a"), ("b", "us-east-1b"))):
        made[name] = create("ec2/subnet:Subnet", name, vpcId=vpc, cidrBlock=f"10.0.{at}.0/24", availabilityZone=zone).id
    return made


@pytest.fixture
def cluster(create: Create, subnets: dict[str, str]) -> Callable[..., Entry]:
    def make(**inputs: Any) -> Entry:
        return create(
            CLUSTER, "c", name="c", roleArn="arn", vpcConfig={"subnetIds": [subnets["a"], subnets["b"]]}, **inputs
        )

    return make


def test_an_admin_needs_an_entry_first(create: Create, cluster: Callable[..., Entry]) -> None:
    cluster()
    rights = {"clusterName": "c", "principalArn": ADMIN, "policyArn": POLICY, "accessScope": {"type": "cluster"}}
    with pytest.raises(CloudError, match=r"AssociateAccessPolicy.*ResourceNotFoundException"):
        create(RIGHTS, **rights)
    create(ENTRY, clusterName="c", principalArn=ADMIN)
    create(RIGHTS, **rights)
    with pytest.raises(CloudError, match="policyArn parameter format is not valid: arn:aws:iam"):
        create(RIGHTS, **{**rights, "policyArn": "arn:aws:iam::aws:policy/AdministratorAccess"})


def test_a_session_is_no_principal(create: Create, cluster: Callable[..., Entry]) -> None:
    cluster()
    with pytest.raises(CloudError, match=r"InvalidParameterException: .*invalid principal"):
        create(ENTRY, clusterName="c", principalArn="arn:aws:sts::000000000000:assumed-role/admin/me")


def endpoint(subnets: dict[str, str], *names: str) -> dict[str, Any]:
    return {
        "vpcId": subnets["vpc"],
        "serviceName": "com.amazonaws.us-east-1.sts",
        "vpcEndpointType": "Interface",
        "privateDnsEnabled": True,
        "subnetIds": [subnets[name] for name in names],
    }


def test_an_interface_endpoint_takes_one_subnet_a_zone_and_its_name_once(
    create: Create, subnets: dict[str, str]
) -> None:
    with pytest.raises(CloudError, match="DuplicateSubnetsInSameZone"):
        create(ENDPOINT, "twice", **endpoint(subnets, "a", "a2"))
    create(ENDPOINT, "one", **endpoint(subnets, "a", "b"))
    with pytest.raises(CloudError, match=r"conflicting DNS domain for com\.amazonaws\.us-east-1\.sts"):
        create(ENDPOINT, "two", **endpoint(subnets, "a", "b"))


def test_private_names_need_host_names_in_the_vpc(create: Create) -> None:
    vpc = create("ec2/vpc:Vpc", "plain", cidrBlock="10.1.0.0/16").id
    with pytest.raises(CloudError, match="requires both enableDnsSupport and enableDnsHostnames"):
        create(ENDPOINT, **endpoint({"vpc": vpc}))


@pytest.mark.parametrize(
    ("spec", "resources", "region", "message"),
    [
        ("SYMMETRIC_DEFAULT", ["secrets"], "us-east-1", None),
        ("RSA_2048", ["secrets"], "us-east-1", "is not symmetric"),
        ("SYMMETRIC_DEFAULT", ["pods"], "us-east-1", r"must be \[secrets\]"),
        ("SYMMETRIC_DEFAULT", ["secrets"], "eu-west-1", "is invalid"),
    ],
)
def test_the_secrets_key_is_symmetric_and_in_the_clusters_region(
    create: Create, cluster: Callable[..., Entry], spec: str, resources: list[str], region: str, message: str | None
) -> None:
    key = create("kms/key:Key", "k", customerMasterKeySpec=spec, region=region).outputs["arn"]
    config = {"provider": {"keyArn": key}, "resources": resources}
    if message is None:
        cluster(encryptionConfig=config)
    else:
        with pytest.raises(CloudError, match=message):
            cluster(encryptionConfig=config)


def test_a_key_that_is_gone_is_refused(cluster: Callable[..., Entry]) -> None:
    gone = "arn:aws:kms:us-east-1:000000000000:key/0"
    with pytest.raises(CloudError, match="is invalid"):
        cluster(encryptionConfig={"provider": {"keyArn": gone}, "resources": ["secrets"]})


def test_the_log_group_of_a_logging_cluster_comes_first_or_never(create: Create, cluster: Callable[..., Entry]) -> None:
    cluster(enabledClusterLogTypes=["audit"])
    create(GROUP, "free", name="/aws/eks/other/cluster")
    with pytest.raises(CloudError, match="ResourceAlreadyExistsException: The specified log group already exists"):
        create(GROUP, "late", name="/aws/eks/c/cluster")
