"""Clients of the API, as text and as values."""

from __future__ import annotations

import pytest

from gpucluster.components.aws.planning.access import AccessPlan, plan_access
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.access import PrivateAccess, PublicAccess
from tests.components.told import told

VPC = "10.0.0.0/16"
ADMIN = "arn:aws:iam::123456789012:role/admin"


def plan(access: PublicAccess | PrivateAccess, planning: Planning[None] | None = None) -> AccessPlan:
    reports = planning or Planning(stack="s", location=None)
    return plan_access(access, {}, reports, vpc_cidr=VPC, karpenter=False, collector=False)


def refused(access: PublicAccess | PrivateAccess) -> list[str]:
    planning = Planning(stack="s", location=None)
    plan(access, planning)
    return told(planning.problems)


def test_a_public_api_is_for_its_ranges() -> None:
    assert plan(PublicAccess(kind="public", cidrs=("203.0.113.0/24",))) == AccessPlan(
        public_cidrs=("203.0.113.0/24",),
        client_cidrs=(),
        admins=(),
        services=(),
        nat=True,
        registry=None,
        summary="over the internet from 203.0.113.0/24, and from the nodes; admins: the identity that runs the "
        "first `pulumi up`",
        only_examples="access.cidrs: 203.0.113.0/24 is an example range: the API cannot be reached, so an update "
        "would create and bill resources and then fail; write the range of your office or VPN",
    )


@pytest.mark.parametrize(
    ("access", "clients", "summary"),
    [
        (
            PrivateAccess(kind="private", via="vpn", cidrs=("10.9.0.0/16",), admins=(ADMIN,)),
            ("10.9.0.0/16",),
            "inside only, through your VPN or peering from 10.9.0.0/16; admins: the identity "
            "that runs the first `pulumi up`, role/admin; "
            "internet by NAT",
        ),
        (
            PrivateAccess(kind="private", via="bastion", egress="none", registry="mirror.example"),
            (VPC,),
            "inside only, through a bastion host in the network (10.0.0.0/16); admins: the identity "
            "that runs the first `pulumi up`; "
            "no internet",
        ),
        (
            PrivateAccess(kind="private", via="inside"),
            (VPC,),
            "inside only, from machines in the network (10.0.0.0/16); admins: the identity "
            "that runs the first `pulumi up`; "
            "internet by NAT",
        ),
    ],
    ids=["vpn", "bastion", "inside"],
)
def test_a_private_api_says_the_way_in(access: PrivateAccess, clients: tuple[str, ...], summary: str) -> None:
    found = plan(access)
    assert (found.public_cidrs, found.client_cidrs, found.summary) == ((), clients, summary)
    assert "sqs" not in found.services and "eks-auth" in found.services


@pytest.mark.parametrize(
    ("arn", "hint"),
    [
        ("alice", ""),
        ("arn:aws:iam::12:role/x", ""),
        (
            "arn:aws:sts::123456789012:assumed-role/admin/me",
            "; for a session, name the role in its ARN after assumed-role/",
        ),
    ],
)
def test_an_admin_that_is_no_iam_principal_is_refused(arn: str, hint: str) -> None:
    access = PublicAccess(kind="public", cidrs=("203.0.113.0/24",), admins=(ADMIN, arn))
    assert refused(access) == [
        f"access.admins[1] is {arn!r}; on AWS write the ARN of an IAM role or user, such as "
        f"arn:aws:iam::123456789012:role/platform-admin{hint}"
    ]


def test_a_dns_name_that_asks_for_rights_alone_is_not_to_be_had() -> None:
    assert refused(PrivateAccess(kind="private", via="dns")) == [
        "access.via is 'dns', which only Google Cloud supports; for EKS choose vpn, bastion or inside"
    ]
