"""Runs a command at a pseudo-terminal, as a user does."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
from collections.abc import Sequence
from pathlib import Path

__all__ = ["in_terminal"]


def in_terminal(
    command: Sequence[str], folder: Path, answers: Sequence[tuple[str, str]] = (), *, columns: int = 80, **env: str
) -> tuple[int, str]:
    """(exit code, all that it writes). answers: what the user types, each after a text that is awaited; \\x03 is
    Ctrl-C, \\x04 the end of input.
    """
    here, there = pty.openpty()
    termios.tcsetwinsize(there, (40, columns))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    running = subprocess.Popen(
        command,
        cwd=folder,
        env={**environment, **env},
        stdin=there,
        stdout=there,
        stderr=there,
        start_new_session=True,
        preexec_fn=_as_a_login_does,
    )
    os.close(there)
    shown, read, left, keys = b"", 0, list(answers), ""
    with contextlib.suppress(OSError):  # a terminal whose last writer is gone ends with an error
        while True:
            if not select.select([here], [], [], 2)[0]:
                # A signal between a prompt and its read waits for the next key, so a user presses Ctrl-C again.
                os.write(here, b"\x03" if keys == "\x03" else b"")
                continue
            shown += os.read(here, 65536)
            while left and (at := shown.find(left[0][0].encode(), read)) >= 0:
                awaited, keys = left.pop(0)
                read = at + len(awaited.encode())
                os.write(here, keys.encode())
    os.close(here)
    code, text = running.wait(), shown.decode()
    assert left == [], f"not awaited: {left}\n{text}"
    return code, text


def _as_a_login_does() -> None:
    """Ctrl-C reaches the processes of a controlling terminal that don't ignore it, as those of a background job do."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
