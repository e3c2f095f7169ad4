"""Requests to AWS, and questions that are asked one by one."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

from gpucluster.core.program.questions import Question
from gpucluster.operate.preflight.answers import Answer, Asker, CannotAsk, unknown
from gpucluster.operate.preflight.aws.errors import explained

_CONNECT_S: Final = 5
_READ_S: Final = 20
_TRIES: Final = 3
_AT_ONCE: Final = 8
"""Below the burst of GetServiceQuota and of EC2's Describe calls. Source: Amazon EC2 API, "Request throttling"."""


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


def one_by_one(ask_one: Callable[[Question], Answer]) -> Asker:
    """Asks each question by itself, several at once: a refused one leaves the answers of the others."""

    def answer(question: Question) -> Answer:
        try:
            return ask_one(question)
        except Exception as error:
            why = explained(error)
            if why is None:
                raise
            return unknown(question, why.reason, why.fix, why.command)

    def ask(questions: Sequence[Question]) -> Sequence[Answer]:
        with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
            return list(pool.map(answer, questions))

    return ask


def attempted(ask: Callable[[], Any]) -> Any | CannotAsk:
    """What a request answers, or why it has no answer: for facts that a verdict can do without."""
    try:
        return ask()
    except Exception as error:
        why = explained(error)
        if why is None:
            raise
        return why
