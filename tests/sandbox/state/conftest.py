"""Crashes: a run of the sandbox of which one process is killed at a chosen moment."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.waiting import LIMIT


@dataclass(frozen=True)
class Crash:
    """Kills who as soon as the clouds hold amount resources and delay seconds have passed.

    who: the `engine`; the `provider` (the sandbox's process, whose threads are all providers), the `plugin` (what the
    engine holds for one provider: its server stops, the others go on); or `both` engine and provider.
    """

    who: str
    amount: int
    delay: float

    def during(self, root: Path, *command: str, scenario: Path | None = None) -> bool:
        """Runs `gpucluster sandbox pulumi COMMAND` in a project; returns whether it was killed before it ended."""
        happening = ("--scenario", str(scenario)) if scenario is not None else ()
        run = subprocess.Popen(
            [sys.executable, "-m", "gpucluster", "sandbox", *happening, "pulumi", *command],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            processes = _processes(run)
            killed = bool(processes) and self._kill(run, processes, root / ".sandbox" / "clouds.sqlite3", command[0])
        finally:
            if run.poll() is None:
                run.wait(LIMIT)
        for process in processes.values():
            # An engine that lost its sandbox ends by itself.
            with suppress(psutil.NoSuchProcess):
                process.wait(LIMIT)
        return killed

    def _kill(
        self, run: subprocess.Popen[bytes], processes: dict[str, psutil.Process], ledger: Path, command: str
    ) -> bool:
        victims = {"provider": ["sandbox"], "both": ["sandbox", "engine"]}.get(self.who, [self.who])
        numbers = [processes[victim].pid for victim in victims]
        with _counting(ledger) as count:
            while run.poll() is None:
                if (count() >= self.amount) if command == "up" else (count() <= self.amount):
                    time.sleep(self.delay)
                    alive = run.poll() is None
                    for number in numbers:
                        with suppress(ProcessLookupError):
                            os.kill(number, signal.SIGKILL)
                    return alive
        return False


def _processes(run: subprocess.Popen[bytes]) -> dict[str, psutil.Process]:
    """The processes of a run once its first provider is there; none when it ended before."""
    own = psutil.Process(run.pid)
    while run.poll() is None:
        found = {"sandbox": own}
        with suppress(psutil.NoSuchProcess):
            for child in own.children(recursive=True):
                if child.name() == "pulumi" and "stack" not in child.cmdline():
                    found["engine"] = child
                elif any(part.endswith("launcher.py") for part in child.cmdline()):
                    found.setdefault("plugin", child)
        if len(found) == 3:
            return found
    return {}


@contextmanager
def _counting(ledger: Path) -> Generator[Callable[[], int]]:
    """How many resources the clouds hold, read past the sandbox."""
    connection = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True, isolation_level=None)
    try:
        yield lambda: connection.execute("SELECT count(*) FROM resources").fetchone()[0]
    finally:
        connection.close()


@pytest.fixture
def crash() -> type[Crash]:
    return Crash
