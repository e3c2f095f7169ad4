"""The registries of a plan's charts, as servers on loopback."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from gpucluster.operate.preflight.answers import Answer
from gpucluster.operate.preflight.charts import QUESTION, addresses, registry_asker

Serving = Callable[[int, str], str]


@pytest.fixture
def serving() -> Iterator[Serving]:
    """The address of a server that answers everything with one status and text."""
    servers: list[ThreadingHTTPServer] = []

    def start(status: int, text: str) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, format: str, *args: Any) -> None: ...

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def asked(*urls: str) -> Answer:
    [answer] = registry_asker(lambda: urls)([QUESTION])
    return answer


def test_each_registry_is_asked_once_in_the_way_of_its_kind() -> None:
    charts = [
        ("oci://registry.k8s.io/kueue/charts/kueue", ""),
        ("oci://registry.k8s.io/jobset/charts/jobset", ""),
        ("gpu-operator", "https://helm.example.com/nvidia/"),
        ("network-operator", "https://helm.example.com/nvidia"),
    ]
    assert addresses(charts) == ["https://helm.example.com/nvidia/index.yaml", "https://registry.k8s.io/v2/"]


def test_registries_that_answer_are_fine_with_or_without_a_login(serving: Serving) -> None:
    answer = asked(
        f"{serving(200, 'apiVersion: v1')}/index.yaml", f"{serving(401, '{}')}/v2/", f"{serving(200, '')}/v2/"
    )
    assert (str(answer.verdict), answer.found) == ("fine", "all 3 answer")


@pytest.mark.parametrize(
    ("status", "text", "path", "why"),
    [
        (403, "", "/v2/", "answers 403"),
        (503, "", "/v2/", "answers 503"),
        (401, "", "/charts/index.yaml", "answers 401"),
        (404, "", "/charts/index.yaml", "answers 404"),
        (200, "\n<html>log in first</html>", "/v2/", "answers with a web page, perhaps of a proxy"),
    ],
)
def test_a_registry_that_refuses_stops_up(status: int, text: str, path: str, why: str, serving: Serving) -> None:
    good, bad = serving(200, "apiVersion: v1"), serving(status, text)
    answer = asked(f"{good}/index.yaml", f"{bad}{path}")
    assert (str(answer.verdict), answer.found) == ("stops up", f"{bad.removeprefix('http://')}: {why}")
    assert answer.command == f"curl -I {bad}{path}"


def test_a_machine_that_must_not_reach_out_cannot_tell_and_is_told_what_to_do() -> None:
    """The proxy of these tests is closed."""
    answer = asked("https://registry.k8s.io/v2/", "http://127.0.0.1:1/index.yaml")
    assert (str(answer.verdict), answer.blocks) == ("can't tell", True)
    assert answer.found == "registry.k8s.io: Connection refused; 127.0.0.1:1: Connection refused"
    assert "HTTPS_PROXY" in answer.fix


def test_the_proxy_of_the_machine_is_used(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", serving(200, "apiVersion: v1"))
    answer = asked("http://charts.example.com/index.yaml")
    assert (str(answer.verdict), answer.found) == ("fine", "all 1 answer")
