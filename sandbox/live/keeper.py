# ruff: noqa: ARG001 - a signal handler has two arguments
"""The process that runs the controllers of one cluster, and thereby keeps its API server running.

It runs the programs in WANTED: starts new ones, stops removed ones, and restarts those that exited. Commands that use
the cluster hold a shared lock on USERS; after IDLE_MINUTES without a lock, this process stops everything and exits. If
it is killed, all of them end with it.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Any, Final

from gpucluster.sandbox.api_server import keeper
from gpucluster.sandbox.api_server import keeper as server_keeper

USERS: Final = "users"
STATE: Final = "keeper.json"
WANTED: Final = "wanted.json"
LOG: Final = "keeper.log"
IDLE_MINUTES: Final = 30.0

_TICK_SECONDS: Final = 0.2
_AGAIN_SECONDS: Final = 2.0
"""Seconds before it restarts a program that exited."""


def main() -> None:
    """`python -m gpucluster.sandbox.live.keeper FOLDER-OF-THE-SERVER FOLDER IDLE-MINUTES`."""
    server, folder, idle = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]) * 60
    signal.signal(signal.SIGTERM, _end)
    with ExitStack() as ending:
        of_server = ending.enter_context((server / server_keeper.USERS).open("a"))
        fcntl.flock(of_server, fcntl.LOCK_SH)
        users = ending.enter_context((folder / USERS).open("a"))
        running = _Running(folder)
        ending.callback(running.end)
        state = folder / STATE
        ending.callback(state.unlink, missing_ok=True)
        state.write_text(json.dumps({"pid": os.getpid()}))
        last_used = time.monotonic()
        while (server / server_keeper.STATE).exists():
            running.follow(_wanted(folder / WANTED))
            if server_keeper.used(users):
                last_used = time.monotonic()
            elif time.monotonic() - last_used > idle:
                break  # We hold the lock until all have ended: the next command waits for that.
            else:
                fcntl.flock(users, fcntl.LOCK_UN)
            time.sleep(_TICK_SECONDS)


def _end(signal_number: int, frame: FrameType | None) -> None:
    sys.exit(0)


class _Running:
    """The running programs. folder: of their logs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._settings: dict[str, Any] = {}
        self._again: dict[str, float] = {}

    def follow(self, wanted: dict[str, Any]) -> None:
        for name in [name for name in self._processes if self._settings[name] != wanted.get(name)]:
            self._stop(name)
        for name, settings in wanted.items():
            process = self._processes.get(name)
            if process is not None and process.poll() is None:
                keeper.keep_short(self._folder / f"{name}.log")
                continue
            if process is not None and name not in self._again:
                self._again[name] = time.monotonic() + _AGAIN_SECONDS
            if time.monotonic() >= self._again.get(name, 0.0):
                self._again.pop(name, None)
                self._start(name, settings, fresh=process is None)

    def end(self) -> None:
        for name in list(self._processes):
            self._processes[name].terminate()
        for name in list(self._processes):
            self._stop(name)

    def _start(self, name: str, settings: dict[str, Any], *, fresh: bool) -> None:
        log = self._folder / f"{name}.log"
        self._processes[name] = keeper.start(
            settings["command"],
            log,
            by=signal.SIGTERM,
            environment=settings["environment"],
            folder=settings["folder"],
            append=not fresh,
        )
        self._settings[name] = settings

    def _stop(self, name: str) -> None:
        keeper.end(self._processes.pop(name), by=signal.SIGTERM)
        self._again.pop(name, None)


def _wanted(file: Path) -> dict[str, Any]:
    try:
        return json.loads(file.read_text())
    except FileNotFoundError:
        return {}


if __name__ == "__main__":
    main()
