"""Who asks which project, and what stops all questions."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.clients.gcp import client as clients
from gpucluster.operate.preflight.gcp import open_account
from tests.components.gcp.planning.test_plan import HERE, plan
from tests.gpucluster.operate.preflight.gcp.asked import of_account
from tests.gpucluster.operate.preflight.gcp.google import Call, Google, Refused, api_off

LOGIN = "gcloud auth application-default login"


def refusing(*arguments: Any, **more: Any) -> Callable[[Call], Any]:
    def refuse(_: Call) -> Any:
        raise Refused(*arguments, **more)

    return refuse


@pytest.mark.usefixtures("login")
def test_it_names_the_caller_and_the_project(google: Google) -> None:
    assert open_account(plan(), HERE).identity == "ada@example.com in project my-project"
    first, *others = google.calls
    assert first.id == "token"
    assert {call.headers["x-goog-user-project"] for call in others} == {"my-project"}


@pytest.mark.usefixtures("login")
def test_every_question_of_a_plan_has_an_answer(google: Google) -> None:
    found = of_account(plan())
    assert {str(answer.verdict) for answer in found if answer.question.about != "login"} == {"fine"}
    assert [answer for answer in found if answer.blocks] == []
    # In parallel by kind; the longest row of requests is that of the quotas, 10.
    assert len(google.calls) == 30


@pytest.mark.usefixtures("login")
def test_a_login_without_an_address_asks_as_well(google: Google) -> None:
    google.answers["oauth2.userinfo.get"] = refusing(401, "Request is missing required authentication credential.")
    assert open_account(plan(), HERE).identity == "the application default credentials in project my-project"


def test_without_credentials_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GOOGLE_APPLICATION_CREDENTIALS", "CLOUDSDK_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    with pytest.raises(CannotAsk) as caught:
        open_account(plan(), HERE)
    assert (caught.value.reason, caught.value.command) == ("there are no application default credentials", LOGIN)


@pytest.mark.parametrize("text", ["no json", '{"type": "person"}', '{"type": "authorized_user"}'])
def test_a_damaged_login_is_no_login(login: Path, text: str) -> None:
    login.write_text(text)
    with pytest.raises(CannotAsk) as caught:
        open_account(plan(), HERE)
    assert caught.value.command == LOGIN


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"error": "invalid_grant", "error_description": "Token has been expired or revoked."}, "expired or revoked"),
        ({"error": "invalid_grant", "error_subtype": "invalid_rapt"}, "Reauthentication is needed"),
        ({"error": "invalid_client"}, "invalid_client"),
    ],
)
@pytest.mark.usefixtures("login")
def test_expired_credentials_ask_nothing(google: Google, answer: Any, why: str) -> None:
    google.answers["token"] = refusing(400, body=answer)
    with pytest.raises(CannotAsk, match=why) as caught:
        open_account(plan(), HERE)
    assert caught.value.command == LOGIN
    assert {call.id for call in google.calls} == {"token"}


@pytest.mark.parametrize("code", [403, 404])
@pytest.mark.usefixtures("login")
def test_a_project_of_another_account_ends_it(google: Google, code: int) -> None:
    google.answers["cloudresourcemanager.projects.get"] = refusing(code, "The caller does not have permission")
    with pytest.raises(CannotAsk, match="cannot use the project my-project") as caught:
        open_account(plan(), HERE)
    assert caught.value.command == "gcloud projects list"


@pytest.mark.usefixtures("login")
def test_a_new_project_is_asked_what_it_can_tell(google: Google) -> None:
    google.answers["cloudresourcemanager.projects.get"] = refusing(
        403, reason="SERVICE_DISABLED", service="cloudresourcemanager.googleapis.com"
    )
    found = {answer.question.subject: answer for answer in of_account(plan())}
    assert (found["my-project"].found) in ("cloudresourcemanager.googleapis.com is not enabled", "an open account")
    assert found["lustre.googleapis.com"].found == "enabled"


@pytest.mark.usefixtures("login")
def test_a_project_without_the_apis_that_answer_has_one_command(google: Google) -> None:
    def states(call: Call) -> Any:
        off = ("compute.googleapis.com", "orgpolicy.googleapis.com")
        return {
            "services": [
                {"name": name, "state": "DISABLED" if name.endswith(off) else "ENABLED"} for name in call.given["names"]
            ]
        }

    google.answers["serviceusage.services.batchGet"] = states
    with pytest.raises(CannotAsk, match="the project my-project is new") as caught:
        open_account(plan(), HERE)
    apis = "compute.googleapis.com orgpolicy.googleapis.com"
    assert caught.value.command == f"gcloud services enable {apis} --project=my-project"


@pytest.mark.usefixtures("login")
def test_no_network_ends_it(google: Google) -> None:
    google.port = 9  # nothing listens there
    with pytest.raises(CannotAsk, match="does not answer") as caught:
        open_account(plan(), HERE)
    assert "proxy" in caught.value.fix


def test_a_silent_server_is_given_up(google: Google, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "_SECONDS", (1, 0.1))
    google.slow = threading.Event()
    try:
        with pytest.raises(requests.Timeout):
            clients.Client(project="p", session=requests.Session()).ask("oauth2:v2", "userinfo.get", dict)
    finally:
        google.slow.set()


def test_a_service_account_asks_with_its_own_quota(
    google: Google, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    account = {
        "type": "service_account",
        "client_email": "deploy@my-project.iam.gserviceaccount.com",
        "token_uri": "https://oauth2.googleapis.com/token",
        "private_key": pem,
    }
    (tmp_path / "key.json").write_text(json.dumps(account))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "key.json"))
    assert open_account(plan(), HERE).identity == "deploy@my-project.iam.gserviceaccount.com in project my-project"
    assert all("x-goog-user-project" not in call.headers for call in google.calls)


@pytest.mark.usefixtures("login")
def test_an_api_that_is_off_is_named_once_for_each_question(google: Google) -> None:
    def off(_: Call) -> Any:
        raise api_off("compute.googleapis.com")

    google.answers |= {name: off for name in google.answers if name.startswith("compute.")}
    found = [answer for answer in of_account(plan()) if answer.question.about == "machine"]
    assert [(answer.found, answer.command) for answer in found] == [
        ("compute.googleapis.com is not enabled", "gcloud services enable compute.googleapis.com --project=my-project")
    ] * 2
