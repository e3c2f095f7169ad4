"""A running API server: shared by the commands that use it at the same time, ended with the last of them."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from gpucluster.sandbox.api_server import keeper
from gpucluster.sandbox.api_server.binaries import Binaries
from gpucluster.sandbox.engine.model import EngineError

__all__ = ["Server", "in_use", "open_server"]

_START: Final = "start"


@dataclass(frozen=True, kw_only=True)
class Server:
    """How to reach it. authority: file with the certificate to trust. folder: where its files are."""

    url: str
    token: str
    authority: Path
    folder: Path

    def kubeconfig(self) -> dict[str, Any]:
        """The document kubectl wants."""
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "sandbox",
            "contexts": [{"name": "sandbox", "context": {"cluster": "sandbox", "user": "sandbox"}}],
            "clusters": [
                {"name": "sandbox", "cluster": {"server": self.url, "certificate-authority": str(self.authority)}}
            ],
            "users": [{"name": "sandbox", "user": {"token": self.token}}],
        }


@contextmanager
def open_server(folder: Path, binaries: Binaries) -> Generator[Server]:
    """The server whose files are in `folder`, started where it does not run. Raises EngineError with its last words."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / keeper.USERS).open("a") as users:
        # Waits for a server that is just ending.
        fcntl.flock(users, fcntl.LOCK_SH)
        with (folder / _START).open("a") as start:
            fcntl.flock(start, fcntl.LOCK_EX)
            server = _running(folder) or _started(folder, binaries)
        yield server


def in_use(folder: Path) -> bool:
    """Whether any command uses the server whose files are in `folder`."""
    try:
        with (folder / keeper.USERS).open("r") as users:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def _running(folder: Path) -> Server | None:
    try:
        state = json.loads((folder / keeper.STATE).read_text())
    except (OSError, ValueError):
        return None
    if not _lives(folder, int(state["pid"])):
        return None
    return Server(url=state["url"], token=state["token"], authority=Path(state["authority"]), folder=folder)


def _lives(folder: Path, pid: int) -> bool:
    """Whether the process is a keeper of this folder, and not another that has its number by now."""
    import psutil

    try:
        return str(folder) in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def _started(folder: Path, binaries: Binaries) -> Server:
    state = folder / keeper.STATE
    state.unlink(missing_ok=True)
    with (folder / keeper.LOG).open("w+") as log:
        command = [sys.executable, "-m", keeper.__name__, str(folder), str(binaries.api_server), str(binaries.etcd)]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, close_fds=True
        )
        while process.poll() is None:
            server = _running(folder)
            if server is not None:
                return server
            time.sleep(0.05)
        raise EngineError(f"The Kubernetes API server does not start: {_words(log)}")


def _words(log: IO[str]) -> str:
    log.seek(0)
    return "\n  ".join(log.read().strip().splitlines()[-8:]) or "it gave no reason"
