"""Requests to AWS in the name of the login of a location."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from gpucluster.components.aws.location import Location
from gpucluster.operate.clients.aws.errors import explained, no_login
from gpucluster.operate.clients.cannot_ask import CannotAsk, explaining

_BOTO3: Final[Any] = importlib.import_module("boto3")
_CONNECT_S: Final = 5
_READ_S: Final = 20
_TRIES: Final = 3


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks. session: of boto3. region: of the cluster. account, arn: of the caller, as STS names it."""

    session: Any
    region: str
    account: str = ""
    arn: str = ""
    _clients: dict[tuple[str, str], Any] = field(default_factory=dict[tuple[str, str], Any])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def client(self, service: str, region: str | None = None) -> Any:
        """A session makes one client at a time; a client serves all threads. region: if not the cluster's."""
        config: Any = importlib.import_module("botocore.config").Config
        key = service, region or self.region
        with self._lock:
            if key not in self._clients:
                limits = config(
                    connect_timeout=_CONNECT_S,
                    read_timeout=_READ_S,
                    retries={"mode": "standard", "total_max_attempts": _TRIES},
                )
                self._clients[key] = self.session.client(service, region_name=key[1], config=limits)
            return self._clients[key]

    def pages(self, service: str, operation: str, key: str, **request: Any) -> Iterator[Any]:
        """The items under a key of every page of an answer."""
        client = self.client(service)
        if not client.can_paginate(operation):
            yield from getattr(client, operation)(**request).get(key, [])
            return
        for page in client.get_paginator(operation).paginate(**request):
            yield from page.get(key, [])


def caller_at(location: Location) -> Caller:
    """The login, in the role of the location if it has one. Raises CannotAsk without usable credentials, and for
    another account than the location's.
    """
    with explaining(explained):
        caller = _caller(location)
    if location.account not in (None, caller.account):
        raise CannotAsk(
            f"the login is in account {caller.account}, and the stack's account is {location.account}",
            "log in to that account, or correct gpucluster:account",
            f"pulumi config set gpucluster:account {caller.account}",
        )
    return caller


def _caller(location: Location) -> Caller:
    session = _BOTO3.Session(region_name=location.region)
    if session.get_credentials() is None:
        raise no_login("there are no AWS credentials")
    caller = Caller(session=session, region=location.region)
    if location.role is not None:
        # As the provider of the program does: `up` runs with the rights of this role.
        given = caller.client("sts").assume_role(RoleArn=location.role, RoleSessionName="gpucluster")
        keys = given["Credentials"]
        session = _BOTO3.Session(
            aws_access_key_id=keys["AccessKeyId"],
            aws_secret_access_key=keys["SecretAccessKey"],
            aws_session_token=keys["SessionToken"],
            region_name=location.region,
        )
        caller = Caller(session=session, region=location.region)
    found = caller.client("sts").get_caller_identity()
    return replace(caller, account=found["Account"], arn=found["Arn"])
