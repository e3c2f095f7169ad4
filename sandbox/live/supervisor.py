"""The interface of commands to the keeper of a cluster's controllers."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from gpucluster.sandbox.api_server.server import in_use, is_alive, keeper_state
from gpucluster.sandbox.clouds.kubernetes.api_server import server_folder
from gpucluster.sandbox.clouds.kubernetes.objects import api_servers
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.live import keeper
from gpucluster.sandbox.live.controllers import PORTS, Controller
from gpucluster.sandbox.project.project import Store

FOLDER: Final = "live"
"""Folder of the controllers, in that of a server. It exists as long as the cluster is a live one."""

INSTALLED: Final = "installed.json"
"""The releases with running programs."""

_START: Final = "start"
_CHANGE: Final = "change"
_START_SECONDS: Final = 120.0
_READY_SECONDS: Final = 120.0
_END_SECONDS: Final = 120.0


@dataclass(frozen=True, kw_only=True)
class Supervisor:
    """folder: of configurations and logs. fresh: whether no program ran before."""

    folder: Path
    fresh: bool

    @contextmanager
    def changing(self) -> Generator[None]:
        """Admits one command, and one of its threads, at a time."""
        with (self.folder / _CHANGE).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def run(self, *controllers: Controller) -> None:
        """Starts them, or restarts changed ones; waits until they work.

        Raises EngineError with the last log lines of one that does not.
        """
        wanted = self._wanted()
        self._want({**wanted, **{it.name: _settings_of(it) for it in controllers}})
        for controller in controllers:
            if controller.ready is not None:
                self._wait(controller.name, controller.ready)

    def end(self, name: str) -> None:
        """Stops one; an unknown name is no error."""
        self._want({key: settings for key, settings in self._wanted().items() if key != name})

    def names(self) -> list[str]:
        """The names of the running ones."""
        return sorted(self._wanted())

    def _wanted(self) -> dict[str, Any]:
        file = self.folder / keeper.WANTED
        return json.loads(file.read_text()) if file.exists() else {}

    def _want(self, wanted: dict[str, Any]) -> None:
        file = self.folder / keeper.WANTED
        scratch = file.with_suffix(".new")
        scratch.write_text(json.dumps(wanted))
        scratch.replace(file)

    def _wait(self, name: str, port: int) -> None:
        end = time.monotonic() + _READY_SECONDS
        while time.monotonic() < end and keeper_of(self.folder) is not None:
            with suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2):
                return
            time.sleep(0.1)
        log = self.folder / f"{name}.log"
        words = log.read_text(errors="replace").strip().splitlines()[-5:] if log.exists() else []
        raise EngineError("\n  ".join([f"{name} does not start; the end of {log}:", *words]))


@contextmanager
def open_supervisor(server: Path, *, idle_minutes: float = keeper.IDLE_MINUTES) -> Generator[Supervisor]:
    """The keeper of the server with its files in this folder, started if needed; in use during the context.

    Raises EngineError.
    """
    folder = server / FOLDER
    folder.mkdir(exist_ok=True, mode=0o700)
    with (folder / keeper.USERS).open("a") as users:
        # Waits for a keeper that is stopping.
        fcntl.flock(users, fcntl.LOCK_SH)
        with (folder / _START).open("a") as start:
            fcntl.flock(start, fcntl.LOCK_EX)
            fresh = keeper_of(folder) is None
            if fresh:
                _start(server, folder, idle_minutes)
        yield Supervisor(folder=folder, fresh=fresh)


def keeper_of(folder: Path) -> int | None:
    """The process that runs the controllers of this folder, None if there is none."""
    state = keeper_state(folder, keeper.STATE)
    return None if state is None else int(state["pid"])


def stop(server: Path) -> bool:
    """Stops the controllers of the server in this folder, and then the server; False if none ran."""
    pid, served = keeper_of(server / FOLDER), keeper_state(server)
    if pid is None:
        return False
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    end = time.monotonic() + _END_SECONDS
    # Between the two no process holds a lock on the server: its own process shows when it has ended.
    while time.monotonic() < end and (
        is_alive(server / FOLDER, pid) or (served is not None and is_alive(server, served["pid"]))
    ):
        time.sleep(0.05)
    return True


def _start(server: Path, folder: Path, idle_minutes: float) -> None:
    # Ports and tokens of an earlier start are no longer valid.
    for left in (keeper.STATE, keeper.WANTED, INSTALLED, PORTS):
        (folder / left).unlink(missing_ok=True)
    with (folder / keeper.LOG).open("w+") as log:
        command = [sys.executable, "-P", "-m", keeper.__name__, str(server), str(folder), str(idle_minutes)]
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, close_fds=True
        )
        end = time.monotonic() + _START_SECONDS
        while process.poll() is None and time.monotonic() < end:
            if keeper_of(folder) is not None:
                return
            time.sleep(0.05)
        log.seek(0)
        raise EngineError(f"The keeper of the controllers does not start: {log.read().strip()[-500:]}")


def _settings_of(controller: Controller) -> dict[str, Any]:
    return {key: value for key, value in asdict(controller).items() if key != "ready"}


def sweep(store: Store) -> None:
    """Stops the controllers of every cluster that is no longer in the ledger, and removes their files."""
    clusters = (api_servers(entry) for entry in store.existing())
    there = {server_folder(store.servers, servers[0]).name for servers in clusters if servers}
    for folder in store.servers.iterdir():
        if folder.name not in there:
            stop(folder)
            if not in_use(folder):
                shutil.rmtree(folder, ignore_errors=True)
