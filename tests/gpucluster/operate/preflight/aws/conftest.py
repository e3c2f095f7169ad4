"""AWS as boto3 sees it: its own service model by botocore's Stubber, and moto's server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import boto3
import botocore.client
import pytest
import requests
from moto.server import ThreadedMotoServer

from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.aws.own import Own
from tests.gpucluster.operate.preflight.aws.stubs import CONNECT_S, Stubs

ARN = "arn:aws:iam::123456789012:user/deployer"
READS = ("AssumeRole", "Describe", "Get", "Head", "List", "Simulate")


@pytest.fixture(autouse=True)
def login(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Credentials of nobody, and none of this machine's."""
    for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_DEFAULT_REGION", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "no-config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "no-credentials"))


@pytest.fixture(autouse=True)
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The operations that preflight calls; none of them writes."""
    made: list[str] = []
    call: Any = botocore.client.BaseClient._make_api_call  # pyright: ignore[reportPrivateUsage]

    def recorded(client: Any, operation: str, request: Any) -> Any:
        if client.meta.config.connect_timeout == CONNECT_S:  # a test prepares by clients of its own
            made.append(operation)
        return call(client, operation, request)

    monkeypatch.setattr(botocore.client.BaseClient, "_make_api_call", recorded)
    yield made
    assert [one for one in made if not one.startswith(READS)] == []


@pytest.fixture
def stubs() -> Iterator[Stubs]:
    made = Stubs()
    yield made
    made.end()


@pytest.fixture
def caller(stubs: Stubs) -> Caller:
    return Caller(session=stubs, region="us-east-1", account="123456789012", arn=ARN)


@pytest.fixture
def own(caller: Caller) -> Own:
    return Own(caller, name="trial", stack="aws-trial")


@pytest.fixture(scope="session")
def moto_server() -> Iterator[str]:
    """Its address."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def moto(moto_server: str, monkeypatch: pytest.MonkeyPatch) -> Caller:
    """A caller of an account on moto's server, with nothing of earlier tests in it."""
    requests.post(f"{moto_server}/moto-api/reset", timeout=60).raise_for_status()
    monkeypatch.setenv("AWS_ENDPOINT_URL", moto_server)
    return Caller(session=boto3.Session(), region="us-east-1", account="123456789012", arn=ARN)
