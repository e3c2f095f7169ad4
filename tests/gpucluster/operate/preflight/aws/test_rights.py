"""What the caller may do, as IAM simulates it. Botocore's model holds requests and answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import boto3
import pytest

from gpucluster.operate.account.rights.aws import rights_of
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.aws import rights
from gpucluster.operate.preflight.aws.requests import one_by_one
from gpucluster.operate.preflight.aws.rights import ask_rights, ask_role
from tests.gpucluster.operate.preflight.aws.asked import question, said
from tests.gpucluster.operate.preflight.aws.conftest import ARN
from tests.gpucluster.operate.preflight.aws.stubs import Stubs

TYPE = "aws:ec2/vpc:Vpc"
TYPES = (TYPE, "kubernetes:core/v1:Pod")
"""A plan of one network."""
SESSION = "arn:aws:sts::123456789012:assumed-role/{}/me"
RIGHTS = question("rights", "on every action of the plan")
ROLE = question("role", "AWSServiceRoleForAmazonEKS", details={"service": "eks.amazonaws.com", "made": "yes"})
SPOT = question(
    "role", "AWSServiceRoleForEC2Spot", details={"service": "spot.amazonaws.com", "made": ""}, decides=False
)


def simulated(stubs: Stubs, actions: list[str], principal: str = ARN, **decisions: Any) -> None:
    """decisions: of the actions whose part after the colon is the name; the others are allowed."""
    results = []
    for action in actions:
        found = decisions.get(action.partition(":")[2], "allowed")
        more = {} if isinstance(found, str) else found[1]
        decision = found if isinstance(found, str) else found[0]
        results.append({"EvalActionName": action, "EvalDecision": decision, **more})
    request = {"PolicySourceArn": principal, "ActionNames": actions}
    half = len(results) // 2
    if half:
        page = {"EvaluationResults": results[:half], "IsTruncated": True, "Marker": "more"}
        stubs.add("iam", "simulate_principal_policy", page, request)
        request = {**request, "Marker": "more"}
    stubs.add("iam", "simulate_principal_policy", {"EvaluationResults": results[half:], "IsTruncated": False}, request)


def actions() -> list[str]:
    return sorted(rights_of(TYPE) or ())


def test_every_action_of_the_plan_is_asked(stubs: Stubs, caller: Caller) -> None:
    simulated(stubs, actions())
    assert said(ask_rights(caller, TYPES, RIGHTS)) == ("fine", f"{len(actions())} actions allowed")


@pytest.mark.parametrize(
    ("decision", "verdict"),
    [
        ("explicitDeny", "stops up"),
        (("implicitDeny", {"OrganizationsDecisionDetail": {"AllowedByOrganizations": False}}), "stops up"),
        (
            ("implicitDeny", {"PermissionsBoundaryDecisionDetail": {"AllowedByPermissionsBoundary": False}}),
            "stops up",
        ),
        ("implicitDeny", "can't tell"),
    ],
)
def test_a_denied_action_is_named(decision: Any, verdict: str, stubs: Stubs, caller: Caller) -> None:
    """Without a statement that fits, one about some resources may allow it: IAM was asked about all of them."""
    simulated(stubs, actions(), CreateVpc=decision)
    answer = ask_rights(caller, TYPES, RIGHTS)
    assert (str(answer.verdict), answer.blocks, answer.found.startswith("ec2:CreateVpc of")) == (verdict, True, True)


def test_types_whose_rights_no_source_lists_are_not_fine(monkeypatch: pytest.MonkeyPatch, caller: Caller) -> None:
    monkeypatch.setattr(rights, "rights_of", lambda _: None)
    found = f"0 actions allowed, but no source lists those of {TYPE}"
    assert said(ask_rights(caller, TYPES, RIGHTS)) == ("can't tell", found)


def test_a_session_is_asked_by_the_full_name_of_its_role(stubs: Stubs, caller: Caller) -> None:
    full = "arn:aws:iam::123456789012:role/team/deployer"
    found = {
        "Role": {
            "Path": "/team/",
            "RoleName": "deployer",
            "RoleId": "AROA0123456789ABCDEF",
            "Arn": full,
            "CreateDate": "2026-01-01",
        }
    }
    stubs.add("iam", "get_role", found, {"RoleName": "deployer"})
    simulated(stubs, actions(), full)
    assert said(ask_rights(replace(caller, arn=SESSION.format("deployer")), TYPES, RIGHTS))[0] == "fine"


@pytest.mark.parametrize(
    ("role", "verdict", "found"),
    [
        ("deployer", "fine", ""),
        ("AWSReservedSSO_Admin_0123456789abcdef", "can't tell", "may not call iam:GetRole"),
    ],
)
def test_without_get_role_the_path_is_a_guess_except_for_single_sign_on(
    role: str, verdict: str, found: str, stubs: Stubs, caller: Caller
) -> None:
    stubs.fail("iam", "get_role", "AccessDenied")
    if verdict == "fine":
        simulated(stubs, actions(), f"arn:aws:iam::123456789012:role/{role}")
    ask = one_by_one(lambda one: ask_rights(replace(caller, arn=SESSION.format(role)), TYPES, one))
    [answer] = ask([RIGHTS])
    assert (str(answer.verdict), found in answer.found) == (verdict, True)


def test_root_may_do_everything_and_a_federated_user_cannot_be_asked(caller: Caller) -> None:
    root = replace(caller, arn="arn:aws:iam::123456789012:root")
    assert said(ask_rights(root, TYPES, RIGHTS)) == ("fine", "the root user may do everything")
    federated = replace(caller, arn="arn:aws:sts::123456789012:federated-user/me")
    [answer] = one_by_one(lambda one: ask_rights(federated, TYPES, one))([RIGHTS])
    assert said(answer) == ("can't tell", "IAM can't simulate the rights of federated-user")


def test_a_login_that_may_not_simulate_is_told_what_to_allow(stubs: Stubs, caller: Caller) -> None:
    text = "User: x is not authorized to perform: iam:SimulatePrincipalPolicy on resource: y"
    stubs.fail("iam", "simulate_principal_policy", "AccessDenied", text)
    [answer] = one_by_one(lambda one: ask_rights(caller, TYPES, one))([RIGHTS])
    assert said(answer) == ("can't tell", "the login may not call iam:SimulatePrincipalPolicy (AccessDenied)")
    assert answer.fix


def test_roles_are_found_on_a_server(moto: Caller) -> None:
    iam: Any = boto3.client("iam", "us-east-1")
    assert said(ask_role(moto, SPOT)) == ("warns", "missing")
    iam.create_service_linked_role(AWSServiceName="spot.amazonaws.com")
    assert said(ask_role(moto, replace(SPOT, subject=_made(iam)))) == ("fine", "exists")


def _made(iam: Any) -> str:
    return next(one["RoleName"] for one in iam.list_roles()["Roles"] if "spot" in one["Path"])


@pytest.mark.parametrize(
    ("decision", "verdict"),
    [("allowed", "fine"), ("explicitDeny", "stops up"), ("implicitDeny", "can't tell")],
)
def test_a_missing_role_is_made_if_the_login_may(decision: str, verdict: str, stubs: Stubs, caller: Caller) -> None:
    stubs.fail("iam", "get_role", "NoSuchEntity")
    simulated(stubs, ["iam:CreateServiceLinkedRole"], CreateServiceLinkedRole=decision)
    answer = ask_role(caller, ROLE)
    assert (str(answer.verdict), answer.found.startswith("missing")) == (verdict, True)
    assert answer.command == (
        "" if verdict == "fine" else "aws iam create-service-linked-role --aws-service-name eks.amazonaws.com"
    )
