"""Who asks, and what every failure of AWS or of the login means."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, ReadTimeoutError, SSOTokenLoadError

from gpucluster.components.aws.cloud import CLOUD
from gpucluster.components.aws.location import Location
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.clients.aws.errors import explained
from gpucluster.operate.clients.cannot_ask import CannotAsk
from gpucluster.operate.preflight.answers import Account
from gpucluster.operate.preflight.asking import ask
from gpucluster.operate.preflight.aws import open_account
from gpucluster.operate.preflight.command import asked
from gpucluster.operate.preflight.declared import Declared
from tests.gpucluster.operate.preflight.aws.asked import question, said
from tests.gpucluster.operate.preflight.aws.plans import HERE, spec

NOTHING = Declared(types=frozenset(), charts=frozenset())
PLAN = SimpleNamespace(name="trial", stack="aws-trial")
EXPIRED = (
    "<ErrorResponse><Error><Type>Sender</Type><Code>ExpiredToken</Code><Message>The security token included in the "
    "request is expired</Message></Error><RequestId>1</RequestId></ErrorResponse>"
)


def opened(**location: Any) -> Account:
    return open_account(PLAN, Location(region="us-east-1", zone="us-east-1a", **location), lambda: NOTHING)


def why(**location: Any) -> CannotAsk:
    with pytest.raises(CannotAsk) as caught:
        opened(**location)
    return caught.value


def test_the_login_is_named(moto: Caller) -> None:
    del moto
    assert opened().identity == "account 123456789012 as user/moto, us-east-1"


def test_a_role_of_the_stack_is_assumed_first(moto: Caller) -> None:
    del moto
    account = opened(role="arn:aws:iam::123456789012:role/up")
    assert account.identity == "account 123456789012 as assumed-role/up/gpucluster, us-east-1"


def test_another_account_is_not_asked(moto: Caller) -> None:
    del moto
    found = why(account="000000000000")
    assert found.reason == "the login is in account 123456789012, and the stack's account is 000000000000"
    assert found.command == "pulumi config set gpucluster:account 123456789012"


def test_without_credentials_nothing_is_sent(monkeypatch: pytest.MonkeyPatch, calls: list[str]) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    found = why()
    assert (found.reason, found.command, calls) == ("there are no AWS credentials", "aws sso login", [])


def test_a_missing_profile_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "trainer")
    assert "trainer" in why().reason


@pytest.fixture
def expired() -> Iterator[str]:
    """A server that answers as STS does to a session that has ended."""

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(403)
            self.end_headers()
            self.wfile.write(EXPIRED.encode())

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_an_expired_login_is_told(expired: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", expired)
    found = why()
    assert (found.reason, found.command) == ("the AWS login has expired (ExpiredToken)", "aws sso login")


def test_without_a_network_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens on the port of a closed server."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.server_close()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{server.server_port}")
    assert why().reason.startswith("no answer from AWS: Could not connect to the endpoint URL")


@pytest.mark.parametrize(
    ("code", "text", "reason"),
    [
        ("ExpiredTokenException", "", "the AWS login has expired (ExpiredTokenException)"),
        ("RequestExpired", "", "the AWS login has expired (RequestExpired)"),
        ("InvalidClientTokenId", "", "AWS does not accept the credentials (InvalidClientTokenId)"),
        ("AuthFailure", "", "AWS does not accept the credentials (AuthFailure)"),
        (
            "AccessDeniedException",
            "User: x is not authorized to perform: eks:DescribeClusterVersions on resource: *",
            "the login may not call eks:DescribeClusterVersions (AccessDeniedException)",
        ),
        ("UnauthorizedOperation", "", "the login may not call DescribeVpcs (UnauthorizedOperation)"),
        ("RequestLimitExceeded", "", "AWS throttles DescribeVpcs (RequestLimitExceeded)"),
        (
            "InternalError",
            "An internal error\nhas occurred",
            "AWS answers DescribeVpcs with InternalError: An internal error",
        ),
        ("404", "<!doctype html>", "AWS answers DescribeVpcs with 404"),
    ],
)
def test_an_answer_of_aws_is_told_in_a_line(code: str, text: str, reason: str) -> None:
    found = explained(ClientError({"Error": {"Code": code, "Message": text}}, "DescribeVpcs"))
    assert found is not None and found.reason == reason


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ReadTimeoutError(endpoint_url="https://ec2"), "no answer from AWS: Read timeout on endpoint URL"),
        (SSOTokenLoadError(error_msg="no token"), "the AWS login has expired"),
    ],
)
def test_a_failure_of_the_client_is_told_in_a_line(error: Exception, reason: str) -> None:
    found = explained(error)
    assert found is not None and found.reason.startswith(reason)


def test_a_mistake_of_ours_is_none_of_aws() -> None:
    assert explained(KeyError("Vpcs")) is None


def test_every_request_has_a_time_limit() -> None:
    limits: Any = Caller(session=boto3.Session(), region="us-east-1").client("sts").meta.config
    assert (limits.connect_timeout, limits.read_timeout, limits.retries["total_max_attempts"]) == (5, 20, 3)


@pytest.mark.parametrize(
    ("region", "verdict", "fix"),
    [("us-east-1", "fine", ""), ("us-gov-west-1", "stops up", "log in to an account of partition aws-us-gov")],
)
def test_the_partition_is_compared(
    region: str, verdict: str, fix: str, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AWS itself answers no login of another partition."""
    monkeypatch.setattr("gpucluster.operate.preflight.aws.account.caller_at", lambda _: replace(caller, region=region))
    [answer] = ask(opened(), [question("account", "of the login", "partition aws")])
    assert (*said(answer), answer.fix) == (verdict, "account 123456789012, partition aws", fix)


def test_without_credentials_the_command_lists_what_it_would_have_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    plan = CLOUD.plan_cluster(ClusterSpec.model_validate(spec()), HERE, stack="aws-trial")
    found = asked("aws-trial", plan, HERE, Path.cwd(), say=False)
    unanswered = [answer.question for answer in found.answers if answer.found == "not asked"]
    assert (found.identity, unanswered) == (None, list(plan.facts.questions))
    assert found.blocked


@pytest.mark.slow
def test_the_whole_command_asks_an_account_twice_alike(moto: Caller) -> None:
    """With the actions of the types that the program declares, which moto doesn't simulate."""
    del moto
    plan = CLOUD.plan_cluster(ClusterSpec.model_validate(spec()), HERE, stack="aws-trial")
    runs = [asked("aws-trial", plan, HERE, Path.cwd(), say=False).answers for _ in range(2)]
    first, second = ([answer for answer in run if answer.question in plan.facts.questions] for run in runs)
    assert [str(answer.verdict) for answer in first] == [str(answer.verdict) for answer in second]
    verdicts = {answer.question.subject: str(answer.verdict) for answer in first}
    assert verdicts["m7i.xlarge"] == verdicts["L-F678F1CE"] == verdicts["us-east-1a"] == "fine"
    assert [answer.found for answer in first if "Error" in answer.found] == []


def test_each_question_of_a_plan_has_a_way_to_ask(moto: Caller) -> None:
    del moto
    account = opened()
    plans = [
        CLOUD.plan_cluster(ClusterSpec.model_validate(spec(**change)), HERE, stack="aws-trial")
        for change in (
            {},
            {"placement": {"kind": "reservation", "id": "cr-0123456789abcdef0"}},
        )
    ]
    kinds = {one.about for plan in plans for one in plan.facts.questions}
    assert kinds <= set(account.askers)
