"""A GitHub on loopback that remembers comments, counts requests, and refuses when told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from gpucluster.operate.pull_request.github import Api
from tests.gpucluster.operate.pull_request.conftest import HEAD

REPOSITORY = "/repos/acme/clusters"
BOT = {"login": "github-actions[bot]", "type": "Bot"}


@dataclass
class Refusal:
    """An answer instead of the real one, to requests with this method, so many times."""

    method: str
    status: int
    body: Any = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1


@dataclass
class GitHub:
    """
    comments: of pull request 7. pulls, files: as the API lists them. page: items a page has.
    asked: (method, path, body) of every request. waited: seconds the client slept.
    """

    url: str = ""
    comments: list[dict[str, Any]] = field(default_factory=list)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    files: list[dict[str, Any]] = field(default_factory=list)
    head: str = HEAD
    page: int = 100
    refusals: list[Refusal] = field(default_factory=list)
    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)

    def api(self, token: str = "token") -> Api:
        return Api(self.url, "acme/clusters", token, wait=self.waited.append, now=lambda: 1000.0)

    def comment(self, body: str, user: dict[str, str] = BOT) -> dict[str, Any]:
        made = {"id": len(self.comments) + 1, "body": body, "user": user}
        self.comments.append(made)
        return made

    def written(self) -> list[tuple[str, str]]:
        return [(method, path) for method, path, _ in self.asked if method != "GET"]

    def answer(self, method: str, path: str, query: dict[str, list[str]], body: Any) -> tuple[int, Any]:
        match method, path.removeprefix(REPOSITORY).split("/")[1:]:
            case "GET", ["pulls"]:
                return 200, [one for one in self.pulls if query["head"] == [one["head"]["label"]]]
            case "GET", ["pulls", "7"]:
                return 200, {"number": 7, "head": {"sha": self.head}}
            case "GET", ["pulls", "7", "files"]:
                return 200, self.files
            case "GET", ["issues", "7", "comments"]:
                return 200, self.comments
            case "POST", ["issues", "7", "comments"]:
                return 201, self.comment(body["body"])
            case "PATCH", ["issues", "comments", number]:
                found = next(one for one in self.comments if one["id"] == int(number))
                found["body"] = body["body"]
                return 200, found
            case _:
                return 404, {"message": "Not Found"}


@pytest.fixture
def github() -> Iterator[GitHub]:
    hub = GitHub()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub)) as server:
        hub.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield hub
        server.shutdown()


def _handler(hub: GitHub) -> Callable[..., BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

        def _do(self) -> None:
            parts = urlsplit(self.path)
            query = parse_qs(parts.query)
            text = self.rfile.read(int(self.headers.get("content-length") or 0))
            body = json.loads(text) if text else None
            hub.asked.append((self.command, self.path, body))
            refusal = next((one for one in hub.refusals if one.method == self.command and one.times), None)
            headers = dict[str, str]()
            if self.headers["authorization"] != "Bearer token":
                status, answer = 401, {"message": "Bad credentials"}
            elif refusal is not None:
                refusal.times -= 1
                status, answer, headers = refusal.status, refusal.body, refusal.headers
            else:
                status, answer = hub.answer(self.command, parts.path, query, body)
                if isinstance(answer, list):
                    at = int(query.get("page", ["1"])[0])
                    if len(answer) > at * hub.page:
                        headers["link"] = f'<{hub.url}{parts.path}?page={at + 1}>; rel="next"'
                    answer = answer[(at - 1) * hub.page : at * hub.page]
            written = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(written))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(written)

        do_GET = do_POST = do_PATCH = _do

    return Handler
