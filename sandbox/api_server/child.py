"""A process that ends with its parent, however that ends."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_END_SECONDS: Final = 10.0
LOG_BYTES: Final = 16 * 2**20
"""Maximum size of a log, after which a new one starts; the previous one is kept."""

_PR_SET_PDEATHSIG: Final = 1
"""Linux, prctl(2): the signal a process gets when its parent dies."""


def start(
    command: Sequence[str],
    log: Path,
    *,
    by: signal.Signals,
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
    append: bool = False,
) -> subprocess.Popen[bytes]:
    """Starts a program with only PATH from our environment.

    by: the signal that stops it, at the latest when this process ends. folder: its working folder; by default that of
    its log. append: whether to append to its log.
    """

    def die_with_parent() -> None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, by)

    if not append:
        log.write_bytes(b"")
        older(log).unlink(missing_ok=True)
    # Appending: the log may be truncated while the program writes.
    with log.open("ab") as out:
        return subprocess.Popen(
            command,
            cwd=folder or log.parent,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={"PATH": os.environ.get("PATH", ""), "HOME": str(log.parent), **(environment or {})},
            preexec_fn=die_with_parent if sys.platform == "linux" else None,
        )


def older(log: Path) -> Path:
    """The previous log, before the current one was started."""
    return log.with_name(f"{log.name}.1")


def keep_short(log: Path) -> None:
    """Starts a new log of a running program if it is too long. Output written at that moment is lost."""
    if log.exists() and log.stat().st_size > LOG_BYTES:
        shutil.copyfile(log, older(log))
        os.truncate(log, 0)


def end(process: subprocess.Popen[bytes], *, by: signal.Signals) -> None:
    """Stops it by a signal, or by SIGKILL if it does not exit."""
    process.send_signal(by)
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
