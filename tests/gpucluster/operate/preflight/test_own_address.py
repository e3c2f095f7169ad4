"""The address of this machine, as a service on loopback tells it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from gpucluster.operate.preflight.answers import Answer
from gpucluster.operate.preflight.own_address import address_questions, asker_at

RANGES = ("203.0.113.0/24", "198.51.100.7/32")


@pytest.fixture
def telling() -> Iterator[Callable[[str], str]]:
    """The address of a service that answers with a text."""
    servers: list[HTTPServer] = []

    def start(text: str) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200 if text else 503)
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, format: str, *args: object) -> None:
                """Nothing."""

        server = HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def asked(url: str) -> Answer:
    [answer] = asker_at(url)(address_questions("aws", RANGES))
    return answer


@pytest.mark.parametrize("own", ["203.0.113.9", "198.51.100.7"])
def test_an_address_in_a_range_is_fine(own: str, telling: Callable[[str], str]) -> None:
    answer = asked(telling(f"{own}\n"))
    assert (str(answer.verdict), answer.found) == ("fine", own)


@pytest.mark.parametrize(("own", "more"), [("198.51.100.8", "198.51.100.8/32"), ("2001:db8::1", "2001:db8::1/128")])
def test_another_address_warns_with_the_range_to_add(own: str, more: str, telling: Callable[[str], str]) -> None:
    answer = asked(telling(own))
    assert (str(answer.verdict), answer.found) == ("warns", own)
    assert answer.fix == f"add {more} to access.cidrs, or use a machine in its ranges"


@pytest.mark.parametrize("text", ["", "<html>log in first</html>"])
def test_what_is_no_address_is_unknown_and_stops_nothing(text: str, telling: Callable[[str], str]) -> None:
    answer = asked(telling(text))
    assert (str(answer.verdict), answer.blocks) == ("can't tell", False)


def test_without_a_network_it_is_unknown() -> None:
    answer = asked("http://127.0.0.1:1")
    assert (str(answer.verdict), answer.blocks) == ("can't tell", False)


def test_a_private_api_and_clouds_without_such_a_service_ask_nothing() -> None:
    assert address_questions("aws", ()) == []
    assert [address_questions(cloud, RANGES) for cloud in ("gcp", "azure")] == [[], []]
