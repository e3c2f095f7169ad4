"""A running API server: shared by concurrent commands, stopped with the last of them."""

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
from gpucluster.sandbox.engine.engine import EngineError

_START: Final = "start"
_OTHER_SECONDS: Final = 60.0
"""Seconds that a command waits for another that uses the server in a different mode."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """The connection to a server. authority: file with the certificate to trust. folder: of its files.

    living: whether controllers run in the cluster.
    """

    url: str
    token: str
    authority: Path
    folder: Path
    living: bool = False

    def kubeconfig(self) -> dict[str, Any]:
        """The kubeconfig for kubectl."""
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
def open_server(folder: Path, binaries: Binaries, *, living: bool = False) -> Generator[Server]:
    """The server with its files in `folder`, started if it does not run.

    living: for a cluster with controllers. Raises EngineError with the server's last log lines.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / keeper.USERS).open("a") as users:
        end = time.monotonic() + _OTHER_SECONDS
        while True:
            # Waits for a server that is stopping.
            fcntl.flock(users, fcntl.LOCK_SH)
            with (folder / _START).open("a") as start:
                fcntl.flock(start, fcntl.LOCK_EX)
                server = running_server(folder) or _started(folder, binaries, living)
            if server.living or not living:
                break
            if time.monotonic() > end:
                raise EngineError(f"A command uses the API server in {folder} without controllers: wait until it ends.")
            fcntl.flock(users, fcntl.LOCK_UN)
            time.sleep(0.1)
        yield server


def in_use(folder: Path) -> bool:
    """Whether any command uses the server with its files in `folder`."""
    try:
        with (folder / keeper.USERS).open("r") as users:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def keeper_state(folder: Path, name: str = keeper.STATE) -> dict[str, Any] | None:
    """The state file of this folder's keeper, of a server or of programs beside it; None if none is running."""
    try:
        state: dict[str, Any] = json.loads((folder / name).read_text())
    except (OSError, ValueError):
        return None
    return state if "pid" in state and is_alive(folder, int(state["pid"])) else None


def running_server(folder: Path) -> Server | None:
    """The server with its files in `folder`; None if it does not run."""
    state = keeper_state(folder)
    if state is None:
        return None
    return Server(
        url=state["url"],
        token=state["token"],
        authority=Path(state["authority"]),
        folder=folder,
        living=state["living"],
    )


def is_alive(folder: Path, pid: int) -> bool:
    """Whether the process is a keeper of this folder, not another process with a reused number."""
    import psutil

    try:
        return str(folder) in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def _started(folder: Path, binaries: Binaries, living: bool) -> Server:
    state = folder / keeper.STATE
    state.unlink(missing_ok=True)
    with (folder / keeper.LOG).open("w+") as log:
        programs = (str(folder), str(binaries.api_server), str(binaries.etcd))
        command = [sys.executable, "-P", "-m", keeper.__name__, *programs, *(("living",) if living else ())]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, close_fds=True
        )
        while process.poll() is None:
            server = running_server(folder)
            if server is not None:
                return server
            time.sleep(0.05)
        raise EngineError(f"The Kubernetes API server does not start: {_last_lines(log)}")


def _last_lines(log: IO[str]) -> str:
    log.seek(0)
    return "\n  ".join(log.read().strip().splitlines()[-8:]) or "it gave no reason"
