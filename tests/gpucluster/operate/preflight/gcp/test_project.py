"""The project: its state, billing, APIs, permissions, and the two logins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.catalog.tables import read_rows
from gpucluster.core.program.questions import Question
from tests.components.gcp.planning.test_plan import plan
from tests.gpucluster.operate.preflight.gcp.asked import answers_of, one, summary
from tests.gpucluster.operate.preflight.gcp.google import Google


@pytest.mark.parametrize(
    ("state", "verdict", "found"), [("ACTIVE", "fine", "active"), ("DELETE_REQUESTED", "stops up", "delete requested")]
)
def test_a_project_is_active(google: Google, state: str, verdict: str, found: str) -> None:
    google.answers["cloudresourcemanager.projects.get"] = lambda _: {"state": state}
    assert summary(one("project", "my-project", "active"))[:2] == (verdict, found)


@pytest.mark.parametrize(
    ("answer", "verdict", "found"),
    [
        ({"billingEnabled": True, "billingAccountName": "billingAccounts/1"}, "fine", "an open account"),
        ({"billingAccountName": "billingAccounts/1"}, "warns", "a closed account"),
        ({}, "warns", "no account"),
    ],
)
def test_an_open_account_pays(google: Google, answer: Any, verdict: str, found: str) -> None:
    google.answers["cloudbilling.projects.getBillingInfo"] = lambda _: answer
    assert summary(one("billing", "my-project", "billing account", decides=False))[:2] == (verdict, found)


def test_an_api_that_is_off_is_a_warning_since_up_enables_it(google: Google) -> None:
    def states(_: Any) -> Any:
        names = {"file": "DISABLED", "iam": "ENABLED"}
        return {
            "services": [
                {"name": f"projects/1/services/{name}.googleapis.com", "state": s} for name, s in names.items()
            ]
        }

    google.answers["serviceusage.services.batchGet"] = states
    asked = [Question(about="api", subject=f"{name}.googleapis.com", decides=False) for name in ("file", "iam", "dns")]
    found = answers_of(*asked)
    assert [summary(answer)[:2] for answer in found] == [
        ("warns", "not enabled"),
        ("fine", "enabled"),
        ("can't tell", "Service Usage does not list it"),
    ]
    assert found[0].command == "gcloud services enable file.googleapis.com --project=my-project"
    assert len(google.calls) == 1


def test_more_apis_than_one_request_takes_are_asked_in_two(google: Google) -> None:
    asked = [Question(about="api", subject=f"a{number}.googleapis.com") for number in range(31)]
    assert {answer.found for answer in answers_of(*asked)} == {"enabled"}
    assert [len(call.given["names"]) for call in google.calls] == [30, 1]


def test_missing_permissions_are_listed_with_their_role(google: Google) -> None:
    google.answers["cloudresourcemanager.projects.testIamPermissions"] = lambda _: {"permissions": ["a.b.create"]}
    asked = [
        Question(about="right", subject="roles/a.admin", details={"permissions": "a.b.create"}),
        Question(about="right", subject="roles/c.admin", details={"permissions": "a.b.create c.d.create c.e.create"}),
    ]
    granted, lacking = answers_of(*asked)
    assert summary(granted)[:2] == ("fine", "granted")
    assert summary(lacking)[:2] == ("stops up", "you lack c.d.create, c.e.create")
    assert lacking.command.endswith("--member=user:YOU --role=roles/c.admin")
    assert len(google.calls) == 1


def test_no_permission_at_all_is_an_empty_answer(google: Google) -> None:
    google.answers["cloudresourcemanager.projects.testIamPermissions"] = lambda _: {}
    found = answers_of(*(question for question in plan().facts.questions if question.about == "right"))
    assert {str(answer.verdict) for answer in found} == {"stops up"}


def test_the_roles_are_those_of_the_table_of_rights() -> None:
    of_rights = {
        role for row in read_rows("gpucluster/operate/account/rights/gcp.csv") for role in row["roles"].split()
    }
    asked = {row["role"] for row in read_rows("components/gcp/planning/permissions.csv")}
    assert asked <= of_rights


@pytest.mark.parametrize(
    ("script", "verdict", "found"),
    [
        ("echo ada@example.com", "fine", "ada@example.com"),
        ("echo eve@example.com", "warns", "eve@example.com"),
        ("echo '(unset)'", "warns", "gcloud has no account"),
        ("exit 1", "warns", "gcloud has no account"),
        (None, "can't tell", "gcloud is not on PATH"),
    ],
)
def test_gcloud_has_the_same_account(
    script: str | None, verdict: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if script is not None:
        program = tmp_path / "gcloud"
        program.write_text(f'#!/bin/sh\n[ "$*" = "config get account" ] || exit 2\n{script}\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    answer = one("login", "gcloud", "same account", decides=False)
    assert summary(answer)[:2] == (verdict, found)
    assert not answer.blocks
