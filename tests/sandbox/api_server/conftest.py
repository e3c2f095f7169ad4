"""A real API server for the tests of this folder, and a Go made of paper to build one with."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gpucluster.core.cache import CACHE_VARIABLE
from gpucluster.sandbox.api_server.binaries import Binaries, find_binaries
from gpucluster.sandbox.api_server.server import Server, open_server

FAKE_PROGRAM = """#!/bin/sh
[ "$1" = "--version" ] && echo "Kubernetes v1.36.3"
exit 0
"""

FAKE_GO = f"""\
#!{sys.executable}
import json, os, sys
from pathlib import Path
if sys.argv[1] == "version":
    sys.exit(print("go version go1.27.3 linux/amd64"))
with Path(sys.argv[0] + ".calls").open("a") as calls:
    calls.write(json.dumps({{"arguments": sys.argv[1:], "files": sorted(os.listdir())}}) + "\\n")
if sys.argv[1] == "mod":
    sys.exit(print(Path(sys.argv[0] + ".answer").read_text()))
for name in ("kube-apiserver", "kubectl", "server"):
    program = Path(sys.argv[sys.argv.index("-o") + 1], name)
    program.write_text({FAKE_PROGRAM!r})
    program.chmod(0o755)
"""


@pytest.fixture
def said() -> list[str]:
    """Pass `said.append` as `say`."""
    return []


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A Go on PATH that builds programs of paper; to `mod download` it gives the answer in `go.answer`.

    The cache is empty.
    """
    path = tmp_path / "bin" / "go"
    path.parent.mkdir()
    path.write_text(FAKE_GO)
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{path.parent}:/usr/bin:/bin")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return path


@pytest.fixture
def go_calls(go: Path) -> Callable[[], list[dict[str, Any]]]:
    """How the Go of paper was called."""

    def read() -> list[dict[str, Any]]:
        log = Path(f"{go}.calls")
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    return read


@pytest.fixture(scope="session")
def binaries() -> Binaries:
    """The real programs."""
    return find_binaries()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory, binaries: Binaries) -> Iterator[Server]:
    """A server that runs."""
    with open_server(tmp_path_factory.mktemp("server"), binaries) as server:
        yield server
