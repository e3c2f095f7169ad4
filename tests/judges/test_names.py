"""A property table: rows, wildcards, the rule for the rest, and whole paths."""

from __future__ import annotations

import csv

import pytest

from gpucluster.judges.aws import names as aws
from gpucluster.judges.gcp import names as gcp
from gpucluster.judges.names import Names, Place

TABLE = '''\
type,path,schema,how
*,tags,Tags,tags
*,region,,
a:b:C,*,Data,
a:b:C,name,CName,
a:b:C,log,Logging.Types[].Type,
a:b:C,net.card,NetworkCard,
a:b:C,net.tags,Tags,map
a:b:C,,Kind,"=""C"""
'''
NAMES = Names(list(csv.DictReader(TABLE.splitlines())), str.capitalize)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("name", Place(("CName",))),
        ("net", Place(("Data", "Net"))),
        ("net.card", Place(("NetworkCard",))),
        ("net.size", Place(("Size",))),
        ("log", Place(("Logging", "Types[]", "Type"))),
        ("tags", Place(("Tags",), "tags")),
        ("region", None),
    ],
)
def test_a_place_is_that_of_the_row_else_of_the_type_else_of_the_rule(path: str, expected: Place | None) -> None:
    assert NAMES.place("a:b:C", path.split(".")) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("net.card", ("Data", "Net", "NetworkCard")),
        ("net.tags.mine.own", ("Data", "Net", "Tags")),
        ("log", ("Logging", "Types", "Type")),
        ("tags.region", ("Tags",)),
        ("region", None),
    ],
)
def test_a_whole_path_ends_where_names_of_the_user_start(path: str, expected: tuple[str, ...] | None) -> None:
    assert NAMES.schema_path("a:b:C", path.split(".")) == expected


def test_a_type_without_rows_follows_the_rule_and_what_holds_for_all() -> None:
    assert NAMES.place("x:y:Z", ["size"]) == Place(("Size",))
    assert NAMES.place("x:y:Z", ["tags"]) == Place(("Tags",), "tags")
    assert (NAMES.implied("x:y:Z"), NAMES.implied("a:b:C")) == ((), [Place(("Kind",), '="C"')])


@pytest.mark.parametrize(
    ("type_", "path", "expected"),
    [
        ("aws:eks/cluster:Cluster", "vpcConfig.publicAccessCidrs", ("ResourcesVpcConfig", "PublicAccessCidrs")),
        (
            "aws:ec2/launchTemplate:LaunchTemplate",
            "placement.spreadDomain",
            ("LaunchTemplateData", "Placement", "SpreadDomain"),
        ),
        ("aws:fsx/lustreFileSystem:LustreFileSystem", "deploymentType", ("LustreConfiguration", "DeploymentType")),
        ("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "cidrIpv4", ("CidrIp",)),
        ("aws:iam/role:Role", "assumeRolePolicy", ("AssumeRolePolicyDocument",)),
    ],
)
def test_cloudformation_s_names(type_: str, path: str, expected: tuple[str, ...]) -> None:
    assert aws.NAMES.schema_path(type_, path.split(".")) == expected


@pytest.mark.parametrize(
    ("type_", "path", "expected"),
    [
        (
            "gcp:container/nodePool:NodePool",
            "nodeConfig.guestAccelerators.type",
            ("config", "accelerators", "acceleratorType"),
        ),
        ("gcp:container/cluster:Cluster", "datapathProvider", ("networkConfig", "datapathProvider")),
        ("gcp:container/cluster:Cluster", "location", ("location",)),
        ("gcp:container/cluster:Cluster", "nodeConfig.labels.mine", ("nodeConfig", "labels")),
        ("gcp:compute/network:Network", "routingMode", ("routingConfig", "routingMode")),
        ("gcp:serviceaccount/account:Account", "displayName", ("serviceAccount", "displayName")),
        ("gcp:kms/keyRing:KeyRing", "location", None),
    ],
)
def test_google_s_names(type_: str, path: str, expected: tuple[str, ...] | None) -> None:
    assert gcp.NAMES.schema_path(type_, path.split(".")) == expected
