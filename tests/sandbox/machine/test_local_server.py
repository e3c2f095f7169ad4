"""Who is answered by the servers of the sandbox."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpucluster.sandbox.clouds.events.scenario import Scenario
from gpucluster.sandbox.clouds.resident import Resident
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.sdk_types import installed_sdks, site_packages
from gpucluster.sandbox.engine.language_host.server import serve
from gpucluster.sandbox.machine import local_server
from gpucluster.sandbox.machine.local_server import user_of
from tests.waiting import LIMIT

NOBODY = 65534
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Linux alone says who connects")


@pytest.fixture
def connection() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Both ends, ours first."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as ours:
        yield ours, server.accept()[0]


def test_the_kernel_says_whose_process_connects(connection: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = (it.getsockname() for it in connection)
    assert [user_of(ours, theirs), user_of(theirs, ours)] == [os.geteuid()] * 2
    assert user_of(("127.0.0.2", ours[1]), theirs) is None


def test_who_has_closed_is_nobody(connection: tuple[socket.socket, socket.socket]) -> None:
    ours, theirs = (it.getsockname() for it in connection)
    connection[0].close()
    assert user_of(ours, theirs) is None


@pytest.fixture
def language_host() -> Iterator[int]:
    """Its port."""
    server, port = serve(engine_address=None)
    yield port
    server.stop(None)


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[int]:
    """The port of a simulated cloud that a launcher asked for."""
    ledger = Ledger(tmp_path / "clouds.sqlite3")
    sdks = {name: sdk for name, sdk in installed_sdks(site_packages(None)).items() if name == "kubernetes"}
    with (
        Resident(tmp_path / "socket", sdks, ledger, tmp_path / "log", Scenario()) as clouds,
        socket.socket(socket.AF_UNIX) as launcher,
    ):
        launcher.connect(str(tmp_path / "socket"))
        launcher.sendall(b"kubernetes\n")
        threading.Thread(target=clouds._accept, daemon=True).start()
        yield int(launcher.makefile().readline())


CALL = """
import os, sys, grpc._channel, grpc.experimental
if len(sys.argv) > 3:
    os.setuid(int(sys.argv[3]))
with grpc.insecure_channel(f"127.0.0.1:{sys.argv[1]}") as channel:
    try:
        print(channel.unary_unary(sys.argv[2])(b"", timeout=500) and "answered")
    except grpc.RpcError as error:
        print(error.code().name)
"""
SERVERS = {
    "language_host": "/pulumirpc.LanguageRuntime/GetPluginInfo",
    "provider": "/pulumirpc.ResourceProvider/GetPluginInfo",
}


@pytest.fixture(params=SERVERS)
def call(request: pytest.FixtureRequest) -> list[str]:
    """A program that calls a server, and prints how that ended."""
    port = request.getfixturevalue(request.param)
    return [sys.executable, "-c", CALL, str(port), SERVERS[request.param]]


def _said(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=True).stdout


def test_its_own_user_is_answered(call: list[str]) -> None:
    assert _said(call) == "answered\n"


def test_the_servers_refuse_who_is_not_their_user(call: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server.os, "geteuid", lambda: NOBODY)
    assert _said(call) == "PERMISSION_DENIED\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone becomes another user")
def test_another_user_of_the_machine_is_refused(call: list[str]) -> None:
    assert _said([*call, str(NOBODY)]) == "PERMISSION_DENIED\n"
