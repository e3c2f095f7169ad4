"""`reap` and `resume`, which checks as `pause` does, against accounts that refuse: one clear line, nothing is changed,
and no request but reads. `connect`, `upgrade` and `rights` ask no account.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
from azure.core.exceptions import ClientAuthenticationError

from gpucluster.operate.clients.azure import subscription
from tests.gpucluster.operate.account.test_ready import Run, run, state
from tests.gpucluster.operate.preflight.azure.conftest import manager, pem
from tests.gpucluster.operate.preflight.azure.resource_manager import Fault, ResourceManager
from tests.gpucluster.operate.preflight.azure.subscription import HERE, ME, Login
from tests.gpucluster.operate.preflight.gcp.conftest import google, login
from tests.gpucluster.operate.preflight.gcp.google import Call, Google, Refused

__all__ = ["google", "login", "manager", "pem", "run"]
COMMANDS: Final = ("reap", "resume")
_STATES: Final = {
    "aws": "aws:ec2/vpc:Vpc",
    "gcp": "gcp:compute/network:Network",
    "azure": "azure-native:network:NatGateway",
}


def _refused(run: Run, command: str, cloud: str) -> str:
    """The line about the login."""
    stack = f"{cloud}-trial"
    code, text, changed = run(command, "--stack", stack, "--yes", found=state(_STATES[cloud]))
    assert (code, changed) == (2, []), text
    *_, head, line = text.splitlines()
    assert head == f"error: stack {stack}, of which nothing was changed: 1 problem"
    return line.removeprefix("  login: ")


class _Sts:
    """Answers every request with one error, or after some time."""

    def __init__(self) -> None:
        self.code, self.text, self.waiting = "", "", threading.Event()
        self.seconds = 0.0
        self.actions: list[str] = []

    def serve(self) -> ThreadingHTTPServer:
        sts = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                sts.actions.append(self.rfile.read(int(self.headers["Content-Length"])).decode().split("&")[0])
                sts.waiting.wait(sts.seconds)
                self.send_response(200 if not sts.code else 403)
                self.end_headers()
                self.wfile.write(sts.text.encode())

            def log_message(self, format: str, *args: Any) -> None: ...

        return ThreadingHTTPServer(("127.0.0.1", 0), Answer)


_IDENTITY: Final = (
    "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::123456789012:user/me</Arn>"
    "<Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>"
)


@pytest.fixture
def sts(run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Sts]:
    """run: removes the credentials of this machine first."""
    del run
    found = _Sts()
    server = found.serve()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setattr("gpucluster.operate.clients.aws.caller._TRIES", 1)
    yield found
    assert set(found.actions) == {"Action=GetCallerIdentity"}
    found.waiting.set()
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("ExpiredToken", "the AWS login has expired (ExpiredToken); log in again: `aws sso login`"),
        (
            "InvalidClientTokenId",
            "AWS does not accept the credentials (InvalidClientTokenId); check the profile and its keys, and that the "
            "account has enabled the region: `aws sts get-caller-identity`",
        ),
        ("Throttling", "AWS throttles GetCallerIdentity (Throttling); ask again in a minute"),
        ("AccessDenied", "the login may not call GetCallerIdentity (AccessDenied); allow it"),
        (
            "",
            "the login is in account 123456789012, and the stack's account is 000000000000; log in to that account, or "
            "correct gpucluster:account: `pulumi config set gpucluster:account 123456789012`",
        ),
    ],
)
def test_aws_refuses_in_one_line(command: str, code: str, line: str, run: Run, sts: _Sts) -> None:
    error = f"<ErrorResponse><Error><Code>{code}</Code><Message>no</Message></Error></ErrorResponse>"
    sts.code, sts.text = code, error if code else _IDENTITY
    assert _refused(run, command, "aws") == line


@pytest.mark.parametrize("command", COMMANDS)
def test_an_aws_that_does_not_answer_is_given_up(
    command: str, run: Run, sts: _Sts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gpucluster.operate.clients.aws.caller._READ_S", 0.2)
    sts.seconds = 30
    line = _refused(run, command, "aws")
    assert line.startswith("no answer from AWS: Read timeout on endpoint URL")
    assert line.endswith("; check the network, HTTPS_PROXY, and endpoints of a closed network")


def _raise(refusal: Refused) -> Callable[[Call], Any]:
    def refuse(_: Call) -> Any:
        raise refusal

    return refuse


_PROJECT: Final = "cloudresourcemanager.projects.get"


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("method", "refusal", "line"),
    [
        (
            "token",
            Refused(400, body={"error": "invalid_grant", "error_description": "Token has been expired or revoked."}),
            "login not accepted: Token has been expired or revoked; log in again: `gcloud auth application-default "
            "login`",
        ),
        (
            "token",
            Refused(401, body={"error": "invalid_client", "error_description": "Unauthorized"}),
            "login not accepted: Unauthorized; log in again: `gcloud auth application-default login`",
        ),
        (_PROJECT, Refused(429, "Quota exceeded"), ""),
        (_PROJECT, Refused(403, "The caller does not have permission"), "ada@example.com cannot use the project"),
        (_PROJECT, Refused(404, "not found"), "ada@example.com cannot use the project my-project: it does not exist"),
    ],
)
def test_google_refuses_in_one_line(
    command: str, method: str, refusal: Refused, line: str, login: Path, run: Run, google: Google
) -> None:
    """One that throttles the question about the project itself has accepted the login."""
    assert login.exists()
    google.answers[method] = _raise(refusal)
    if line:
        assert _refused(run, command, "gcp").startswith(line)
        return
    code, text, changed = run(command, "--stack", "gcp-trial", "--yes", found=state(_STATES["gcp"]))
    assert (code, len(changed)) == (0, 1), text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_google_that_does_not_answer_is_given_up(
    command: str, login: Path, run: Run, google: Google, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert login.exists()
    monkeypatch.setattr("gpucluster.operate.clients.gcp.client._SECONDS", (0.2, 0.2))
    google.slow = threading.Event()
    line = _refused(run, command, "gcp")
    google.slow.set()
    assert line.endswith("does not answer; check the network and the proxy, and ask again"), line


_AZURE: Final[Mapping[str, tuple[Fault, str]]] = {
    "an expired token": (
        Fault(401, "ExpiredAuthenticationToken", "The access token expiry UTC time is earlier than now."),
        "Azure no longer accepts your login (ExpiredAuthenticationToken); log in again: `az login`",
    ),
    "no right": (
        Fault(
            403,
            "AuthorizationFailed",
            f"The client with object id '{ME}' does not have authorization to perform action "
            f"'Microsoft.Resources/subscriptions/read' over scope '{HERE}'",
        ),
        f"this login has no right to Microsoft.Resources/subscriptions/read on {HERE}; ask an owner for the role "
        f"Reader: `az role assignment create --role Reader --assignee {ME} --scope {HERE}`",
    ),
    "throttled": (
        Fault(429, "TooManyRequests", "Too many", {"Retry-After": "60"}),
        "Azure throttles this login; ask again in 60 s",
    ),
    "a subscription of others": (
        Fault(404, "SubscriptionNotFound", f"The subscription '{HERE[-36:]}' could not be found."),
        f"this login has no subscription {HERE[-36:]}; write one that it has as gpucluster:subscription, or log in as "
        "one that has it: `az account list --output table`",
    ),
    "no answer": (Fault(seconds=30), "Azure has not answered in 20 s; try again"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", _AZURE)
def test_azure_refuses_in_one_line(
    command: str, name: str, run: Run, manager: ResourceManager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscription, "login", lambda *_: Login())
    monkeypatch.setattr("gpucluster.operate.clients.azure.clients.READ_SECONDS", 0.2)
    manager.faults["subscription"], line = _AZURE[name]
    assert _refused(run, command, "azure") == line


@pytest.mark.parametrize(
    ("why", "line"),
    [
        ("AADSTS700082: The refresh token has expired", "your login to Azure has expired (AADSTS700082)"),
        (
            "AADSTS7000215: Invalid client secret provided.",
            "Microsoft Entra ID refuses the login: AADSTS7000215: Invalid client secret provided.",
        ),
        ("Please run 'az login' to setup account.", "no login to Azure"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_login_to_azure_that_gives_no_token_is_said(
    command: str, why: str, line: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Refusing:
        def get_token(self, *_: str, **__: Any) -> None:
            raise ClientAuthenticationError(why)

    monkeypatch.setattr(subscription, "login", lambda *_: Refusing())
    assert _refused(run, command, "azure").startswith(line)
