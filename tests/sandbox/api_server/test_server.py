"""Servers start, are shared, and end: with the last command that uses them, however it ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from gpucluster.sandbox.api_server.binaries import Binaries
from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.server import Server, in_use, open_server
from gpucluster.sandbox.engine.engine import EngineError
from tests.processes import running_for
from tests.waiting import wait_for

pytestmark = pytest.mark.slow

HOLD = """
import sys, time
from pathlib import Path
from gpucluster.sandbox.api_server.binaries import find_binaries
from gpucluster.sandbox.api_server.server import open_server
with open_server(Path(sys.argv[1]), find_binaries()) as server:
    print(server.url, flush=True)
    time.sleep(3600)
"""

HIDDEN = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hidden", "namespace": "default"}}
NOTE = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "note", "namespace": "default"}}


def _wait_until_gone(folder: Path) -> None:
    wait_for(f"nothing runs for {folder}", lambda: not [*running_for(folder)])


def test_a_server_is_shared_survives_its_starter_and_ends_with_its_last_user_with_all_it_holds(
    tmp_path: Path, binaries: Binaries
) -> None:
    folder = tmp_path / "it"
    first = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None
    url = first.stdout.readline().strip()
    with first.stdout, open_server(folder, binaries) as second:
        assert second.url == url
        first.send_signal(signal.SIGKILL)
        first.wait()
        Client(second).apply({**NOTE, "data": {"a": "b"}})
        Client(second).apply({**HIDDEN, "stringData": {"a": "open sesame"}})
        assert in_use(folder)
    _wait_until_gone(folder)
    assert not in_use(folder)
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert [file for file in files if b"sesame" in file.read_bytes()] == []
    with open_server(folder, binaries) as later:
        kept, hidden = Client(later).get(NOTE), Client(later).get(HIDDEN)
        assert kept is not None and hidden is not None
        assert (kept["data"], hidden["data"]) == ({"a": "b"}, {"a": b64encode(b"open sesame").decode()})
        next(it for it in running_for(folder) if "keeper" in " ".join(it.cmdline())).kill()
        _wait_until_gone(folder)  # what a killed keeper has started ends with it
        with open_server(folder, binaries) as again:
            assert again.url != later.url
    _wait_until_gone(folder)


def test_a_server_that_does_not_start_says_why(tmp_path: Path) -> None:
    for name in ("kube-apiserver", "etcd"):
        (tmp_path / name).write_text("#!/bin/sh\necho no room left\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    with pytest.raises(EngineError) as caught, open_server(tmp_path / "it", Binaries(tmp_path)):
        pass
    assert str(caught.value) == ("The Kubernetes API server does not start: etcd did not start:\n  no room left")


def test_the_kubeconfig_leads_to_it_and_nowhere_else(server: Server) -> None:
    document = server.kubeconfig()
    (cluster,) = document["clusters"]
    assert cluster["cluster"]["server"].startswith("https://127.0.0.1:")
    assert Path(cluster["cluster"]["certificate-authority"]).is_file()
    assert document["users"] == [{"name": "sandbox", "user": {"token": server.token}}]


def test_its_etcd_has_no_port(tmp_path: Path, binaries: Binaries) -> None:
    with open_server(tmp_path / "it", binaries):
        (etcd,) = (it for it in running_for(tmp_path / "it") if it.name() == "etcd")
        assert etcd.net_connections("inet") == []
