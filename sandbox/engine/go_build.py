"""Runs a Go build: with progress, and with all its processes ended on interruption."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from gpucluster.sandbox.engine.go_environment import go_environment
from gpucluster.sandbox.engine.progress import Say, heartbeat


def build_command(go: Path, *packages: str, output: str, linked: str = "", tags: Sequence[str] = ()) -> list[str]:
    """The command that builds the programs of packages. output: the program, or a folder for several, ending in `/`.

    linked: additional linker flags.
    """
    return [
        *(str(go), "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-v"),
        *("-ldflags", f"-s -w {linked}".strip(), *(("-tags", ",".join(tags)) if tags else ())),
        *("-o", output, *packages),
    ]


def run_go(command: list[str], folder: Path, say: Say) -> tuple[int, list[str]]:
    """Exit code and log; an interrupted build ends together with all its child processes."""
    log: list[str] = []
    compiled = 0

    def state() -> str:
        return f"{compiled} packages compiled" if compiled else (log[-1] if log else "")

    process = subprocess.Popen(
        command,
        cwd=folder,
        env=go_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        with process.stdout as lines, heartbeat(say, "Building", state):
            for line in lines:
                log.append(line.rstrip())
                compiled += bool(re.fullmatch(r"[\w.~/-]+", log[-1]))  # -v prints each package as it is compiled
        return process.wait(), log
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def last_words(log: list[str]) -> str:
    """The reason of a failed build: its last lines without package names and downloads."""
    telling = [line for line in log if not re.fullmatch(r"[\w.~/-]+|go: downloading .*", line) and line.strip()]
    return "\n  ".join(["", *telling[-8:]]) if telling else "it gave no reason"
