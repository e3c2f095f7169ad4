"""An engine's surroundings made of paper: own cache, own PATH with fake commands, no way to any server."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.sandbox.engine import download, engine, find, go_toolchain

Write = Callable[[str, str], Path]


@pytest.fixture
def said() -> list[str]:
    """Pass `said.append` as `say`."""
    return []


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def write_command(bin_folder: Path) -> Write:
    """Put a command on PATH, written in Python so that it needs nothing else there."""

    def write(name: str, body: str) -> Path:
        path = bin_folder / name
        path.write_text(f"#!{sys.executable}\nimport json, os, sys, time\nfrom pathlib import Path\n{body}\n")
        path.chmod(0o755)
        return path

    return write


@pytest.fixture
def no_server(monkeypatch: pytest.MonkeyPatch) -> str:
    """Downloads are refused at once; how that reads in a message."""
    # Port 9 is "discard", which nothing serves; the environment's proxies are out of the way.
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv(engine.DOWNLOAD_BASE_VARIABLE, "http://127.0.0.1:9")
    url = f"http://127.0.0.1:9/{engine.archive_name(engine.this_platform())}"
    return f"{url}: [Errno {errno.ECONNREFUSED}] {os.strerror(errno.ECONNREFUSED)}"


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_server: str) -> Path:
    """An empty cache."""
    assert no_server
    folder = tmp_path / "cache"
    monkeypatch.setenv(find.CACHE_VARIABLE, str(folder))
    return folder


@pytest.fixture
def engine_folder(cache_folder: Path) -> Path:
    """Where the engine will be, in the empty cache."""
    return cache_folder / "engine" / f"v{engine.VERSION}-{engine.this_platform()}"


FAKE_PULUMI = f"""\
#!{sys.executable}
from pathlib import Path
with Path(__file__).with_suffix(".runs").open("a") as runs:
    runs.write("run\\n")
print("v{engine.VERSION}")
"""
"""An engine that knows its version and counts how often it is asked."""

FAKE_GO = f"""
if sys.argv[1] == "version":
    print("go version go1.26.6 linux/amd64")
    sys.exit()
call = {{"arguments": sys.argv[1:], "files": sorted(os.listdir()), "environment": dict(os.environ)}}
with open(sys.argv[0] + ".calls", "a") as calls:
    calls.write(json.dumps(call) + "\\n")
print("go: downloading example.org/module v1.0.0")
print("example.org/module/package")
binary = Path(sys.argv[sys.argv.index("-o") + 1])
binary.write_text({FAKE_PULUMI!r})
binary.chmod(0o755)
"""
"""A Go that builds the fake engine and writes down how it was called."""


@pytest.fixture
def go(write_command: Write) -> Path:
    """A working Go on PATH."""
    return write_command("go", FAKE_GO)


@pytest.fixture
def go_calls(go: Path) -> Callable[[], list[dict[str, Any]]]:
    """How the fake Go was called to build: arguments, files beside it, environment."""

    def read() -> list[dict[str, Any]]:
        log = Path(f"{go}.calls")
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    return read


@pytest.fixture
def no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """No interpreter of this machine can install a package."""

    def has_pip(python: Path) -> bool:
        assert python.is_absolute()
        return False

    monkeypatch.setattr(go_toolchain, "_has_pip", has_pip)


@pytest.fixture
def quick_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up on silent servers soon."""
    monkeypatch.setattr(download, "CONNECT_SECONDS", 0.2)
