"""A login, a subscription, and everything that can be wrong with them: each is one line, never a traceback."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from azure.core.exceptions import ClientAuthenticationError

from gpucluster.operate.clients.azure import subscription as account
from gpucluster.operate.clients.azure.clients import Clients
from gpucluster.operate.clients.azure.errors import explained
from gpucluster.operate.clients.azure.login import caller_of, login
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.asking import ask
from gpucluster.operate.preflight.azure.account import open_account
from tests.components.azure.planning.test_plan import SUBSCRIPTION, here
from tests.gpucluster.operate.preflight.azure.resource_manager import Fault, ResourceManager
from tests.gpucluster.operate.preflight.azure.subscription import HERE, ME, TENANT, Login, plan, questions, token

REFRESH = (
    "AADSTS700082: The refresh token has expired due to inactivity. The token was issued on 2026-01-05 and was "
    "inactive for 90.00:00:00."
)


@pytest.fixture
def az(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts a program `az` on the path, which is empty otherwise. Nothing of the environment logs in."""
    for name in ("ARM_CLIENT_ID", "ARM_USE_MSI", "AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def install(error: str = "", **answer: object) -> None:
        given = {"accessToken": token(), "expires_on": int(time.time()) + 3600, "tokenType": "Bearer", **answer}
        (tmp_path / "answer.json").write_text(json.dumps(given))
        (tmp_path / "error.txt").write_text(error)
        script = f"cat {tmp_path}/error.txt >&2; exit 1" if error else f"cat {tmp_path}/answer.json"
        (tmp_path / "az").write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked.txt\n{script}\n')
        (tmp_path / "az").chmod(0o755)

    return install


def _reason(manager: ResourceManager) -> tuple[str, str, str]:
    assert manager.url
    with pytest.raises(CannotAsk) as caught:
        open_account(plan(), here())
    return caught.value.reason, caught.value.fix, caught.value.command


def test_the_login_of_the_cli_asks_for_the_subscription_of_the_plan(
    az: Callable[..., None], manager: ResourceManager, tmp_path: Path
) -> None:
    az()
    found = open_account(plan(), here())
    assert found.identity == "ada@example.com in subscription research"
    assert [name for name, _ in manager.requests] == ["subscription"]
    assert f"--subscription {SUBSCRIPTION}" in (tmp_path / "asked.txt").read_text()


def test_without_a_login_it_says_so(az: Callable[..., None], manager: ResourceManager) -> None:
    assert _reason(manager) == ("no login to Azure", "log in", "az login")
    az("ERROR: Please run 'az login' to setup account.")
    assert _reason(manager) == ("no login to Azure", "log in", "az login")


def test_an_expired_login_is_called_that(az: Callable[..., None], manager: ResourceManager) -> None:
    az(f"ERROR: {REFRESH}\nInteractive authentication is needed. Please run:\naz login")
    assert _reason(manager) == ("your login to Azure has expired (AADSTS700082)", "log in again", "az login")


def test_a_login_that_is_refused_is_quoted(az: Callable[..., None], manager: ResourceManager) -> None:
    text = "AADSTS50076: Due to a configuration change made by your administrator, you must use multi-factor"
    az(f"ERROR: {text}\nmore")
    assert _reason(manager)[0] == f"Microsoft Entra ID refuses the login: {text}"


def test_a_subscription_that_the_cli_does_not_know_is_named(az: Callable[..., None], manager: ResourceManager) -> None:
    az(f"ERROR: Subscription '{SUBSCRIPTION}' not found. Check the spelling and casing and try again.")
    assert _reason(manager) == (
        f"this login has no subscription {SUBSCRIPTION}",
        "write one that it has as gpucluster:subscription, or log in as one that has it",
        "az account list --output table",
    )


WRONG = {
    "a subscription of others": (
        Fault(404, "SubscriptionNotFound", f"The subscription '{SUBSCRIPTION}' could not be found."),
        (
            f"this login has no subscription {SUBSCRIPTION}",
            "write one that it has as gpucluster:subscription, or log in as one that has it",
            "az account list --output table",
        ),
    ),
    "another tenant": (
        Fault(
            401,
            "InvalidAuthenticationTokenTenant",
            "The access token is from the wrong issuer 'https://sts.windows.net/00000000-0000-0000-0000-0000000000bb/'."
            f" It must match the tenant 'https://sts.windows.net/{TENANT}/' associated with this subscription.",
        ),
        (
            "your login is in another tenant than the subscription",
            "log in there",
            f"az login --tenant {TENANT}",
        ),
    ),
    "an expired token": (
        Fault(401, "ExpiredAuthenticationToken", "The access token expiry UTC time is earlier than now."),
        ("Azure no longer accepts your login (ExpiredAuthenticationToken)", "log in again", "az login"),
    ),
    "no right to read": (
        Fault(
            403,
            "AuthorizationFailed",
            f"The client 'ada@example.com' with object id '{ME}' does not have authorization to perform action "
            f"'Microsoft.Resources/subscriptions/read' over scope '{HERE}' or the scope is invalid.",
        ),
        (
            f"this login has no right to Microsoft.Resources/subscriptions/read on {HERE}",
            "ask an owner for the role Reader",
            f"az role assignment create --role Reader --assignee {ME} --scope {HERE}",
        ),
    ),
    "throttling for long": (
        Fault(429, "TooManyRequests", "Too many", {"Retry-After": "3600"}),
        ("Azure throttles this login", "ask again in 3600 s", ""),
    ),
    "a failure of Azure": (
        Fault(500, "InternalServerError", "Encountered internal server error.", {"Retry-After": "60"}),
        ("Azure fails itself: 500 InternalServerError", "try again", ""),
    ),
    "another answer": (
        Fault(400, "InvalidSubscriptionId", "The provided subscription identifier is malformed.\nmore"),
        (
            "Azure answers 400 InvalidSubscriptionId: The provided subscription identifier is malformed.",
            "",
            "",
        ),
    ),
}


@pytest.fixture
def logged_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account, "login", lambda *_: Login())


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.usefixtures("logged_in")
def test_a_wrong_account_is_one_line(name: str, manager: ResourceManager) -> None:
    manager.faults[""], expected = WRONG[name]
    assert _reason(manager) == expected


@pytest.mark.usefixtures("logged_in")
def test_a_request_that_is_throttled_once_is_asked_again(manager: ResourceManager) -> None:
    manager.faults["usages"] = Fault(429, "TooManyRequests", "Too many", times=1)
    asked = questions("quota")
    assert {str(one.verdict) for one in ask(open_account(plan(), here()), asked)} == {"fine"}
    assert [name for name, _ in manager.requests].count("usages") == 2


@pytest.mark.usefixtures("logged_in")
def test_an_answer_that_does_not_come_is_given_up(manager: ResourceManager, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucluster.operate.clients.azure.clients.READ_SECONDS", 0.2)
    opened = open_account(plan(), here())
    manager.faults["usages"] = Fault(seconds=30)
    found = ask(opened, questions("quota", "provider"))
    assert {(one.question.about, str(one.verdict), one.found) for one in found} == {
        ("provider", "fine", "Registered"),
        ("quota", "can't tell", "Azure has not answered in 20 s"),
    }


@pytest.mark.usefixtures("logged_in")
def test_a_machine_without_a_way_to_azure_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpucluster.operate.clients.azure.clients.ENDPOINT", "https://127.0.0.1:1")
    with pytest.raises(CannotAsk) as caught:
        open_account(plan(), here())
    assert caught.value.reason == "Azure can't be reached from this machine"


@pytest.mark.usefixtures("logged_in")
def test_a_provider_that_is_not_registered_is_never_registered(manager: ResourceManager) -> None:
    """The SDK's clients would do that, unasked, and ask again."""
    text = "The subscription is not registered to use namespace 'Microsoft.StorageCache'."
    manager.faults["tiers"] = Fault(409, "MissingSubscriptionRegistration", text)
    [found] = ask(open_account(plan(), here()), questions("lustre-tier"))
    assert (found.found, found.command) == (
        "the resource provider Microsoft.StorageCache is not registered",
        "az provider register --wait --namespace Microsoft.StorageCache",
    )


def test_a_write_is_never_sent(manager: ResourceManager) -> None:
    api = Clients(credential=Login(), subscription=SUBSCRIPTION, endpoint=manager.url)
    with pytest.raises(AssertionError, match="only reads, and this is POST"):
        api.resources.providers.register("Microsoft.Network")
    assert manager.requests == []


def test_variables_of_pulumis_provider_come_before_the_cli() -> None:
    ids = {"ARM_CLIENT_ID": ME, "ARM_TENANT_ID": TENANT}
    kinds = {
        "secret": {**ids, "ARM_CLIENT_SECRET": "x"},
        "token": {**ids, "ARM_OIDC_TOKEN": "x"},
        "machine": {"ARM_USE_MSI": "true"},
        "cli": dict[str, str](),
    }
    assert {name: type(login(SUBSCRIPTION, given)).__name__ for name, given in kinds.items()} == {
        "secret": "ClientSecretCredential",
        "token": "ClientAssertionCredential",
        "machine": "ManagedIdentityCredential",
        "cli": "ChainedTokenCredential",
    }


@pytest.mark.parametrize(("text", "name"), [(token(upn=""), ME), ("odd", "this login"), ("e30.bnVsbA.x", "this login")])
def test_a_token_says_who_asks(text: str, name: str) -> None:
    assert caller_of(text).name == name


def test_what_is_not_of_azure_is_not_explained() -> None:
    assert explained(ValueError("x")) is None
    assert explained(ClientAuthenticationError(message="nothing")) is not None
