"""Clients of boto3 that answer what a test says, if the model of the service allows it."""

from __future__ import annotations

from functools import cache
from typing import Any

import boto3
import botocore.client
from botocore.stub import Stubber

CONNECT_S = 5
"""By which a client of preflight differs from those of tests."""


@cache
def _client(service: str, region: str) -> Any:
    limits: Any = botocore.client.Config(connect_timeout=CONNECT_S)
    return boto3.client(service, region, config=limits, aws_access_key_id="a", aws_secret_access_key="b")


class Stubs:
    """A session whose clients answer what a test adds, in its order. Botocore compares requests and answers with the
    model of the service.
    """

    def __init__(self) -> None:
        self._stubbers: dict[tuple[str, str], Stubber] = {}

    def client(self, service: str, *, region_name: str = "us-east-1", config: Any = None) -> Any:
        del config
        return self.stubber(service, region_name).client

    def stubber(self, service: str, region: str = "us-east-1") -> Stubber:
        key = service, region
        if key not in self._stubbers:
            self._stubbers[key] = Stubber(_client(*key))
            self._stubbers[key].activate()
        return self._stubbers[key]

    def add(self, service: str, operation: str, answer: Any, request: Any = None) -> None:
        self.stubber(service).add_response(operation, answer, request)

    def fail(self, service: str, operation: str, code: str, text: str = "") -> None:
        self.stubber(service).add_client_error(operation, code, text)

    def end(self) -> None:
        for one in self._stubbers.values():
            one.deactivate()
        for one in self._stubbers.values():
            one.assert_no_pending_responses()
