"""Runs the engine's process: terminal, signals, output and exit.

Outside a terminal the engine prints each message of a program twice: line by line while the program runs, as rows of
the stack, and complete under Diagnostics at the end. The rows are dropped; everything else is unchanged. In a terminal
the engine redraws the rows itself; there it gets the real terminal.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import IO, Final

from gpucluster.core.text.terminal import OutputError

_PR_SET_PDEATHSIG: Final = 1
"""Linux, prctl(2): the signal a process gets when its parent dies."""
_LOOKS_EVERY: Final = 0.25
_MAY_TAKE: Final = 5.0
"""Seconds between two checks for an obstacle, and for a cancelled engine to exit."""


class StoppedError(Exception):
    """The engine was stopped; the message contains the reason."""


def run_engine(
    command: Sequence[str],
    environment: Mapping[str, str],
    *,
    started: Callable[[], None],
    relayed: bool,
    plain: bool = False,
    obstacle: Callable[[], str],
) -> int:
    """Runs the engine on our terminal and returns its exit code.

    started: called as soon as the engine runs; no thread may exist before that, since this process forks.
    relayed: pass its output through the relay, if it is a pipe. plain: without the colours that programs and language
    hosts write even into a pipe.
    obstacle: why the engine cannot continue, called repeatedly; raises StoppedError at the first non-empty result.
    """
    with _interrupts_left_to_the_engine():
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE if relayed else None, preexec_fn=die_with_parent()
        )
        started()
        with _forwarding_termination(process), _stopped_by(obstacle, process) as reasons:
            failed = _relay(process.stdout, plain=plain) if process.stdout is not None else None
            code = process.wait()
    # The engine may have failed at the obstacle before the first check.
    if reason := "".join(reasons) or (obstacle() if code else ""):
        raise StoppedError(reason)
    if failed is not None and not isinstance(failed, BrokenPipeError):
        raise OutputError(sys.stdout, failed) from failed
    return code


@contextmanager
def _stopped_by(obstacle: Callable[[], str], process: subprocess.Popen[bytes]) -> Generator[list[str]]:
    """Cancels the engine at an obstacle, and kills it if it does not exit: it retries a failed write for minutes.

    Yields the reason, at most one.
    """
    ended, reasons = threading.Event(), list[str]()

    def watch() -> None:
        while not ended.wait(_LOOKS_EVERY):
            if reason := obstacle():
                reasons.append(reason)
                process.send_signal(signal.SIGINT)
                if not ended.wait(_MAY_TAKE):
                    process.kill()
                return

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield reasons
    finally:
        ended.set()
        watching.join()


def _relay(output: IO[bytes], *, plain: bool) -> OSError | None:
    """Forwards the engine's output line by line; returns why it could not, which does not stop the engine."""
    failed: OSError | None = None
    for line in without_echoes(output):
        if failed is None:
            try:
                sys.stdout.buffer.write(_ESCAPES.sub(b"", line) if plain else line)
                sys.stdout.buffer.flush()
            except OSError as error:
                failed = error
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return failed


def die_with_parent() -> Callable[[], object] | None:
    """Runs first in the engine's process: on Linux, requests its end if the sandbox dies without stopping it."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    return lambda: libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _ignore(signal_number: int, frame: FrameType | None) -> None:
    """A handler, because the engine would inherit SIG_IGN."""


@contextmanager
def _interrupts_left_to_the_engine() -> Generator[None]:
    """Leaves Ctrl-C to the engine, which gets it directly: it finishes requests in flight, and needs the clouds for
    that.
    """
    before = signal.signal(signal.SIGINT, _ignore)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _forwarding_termination(process: subprocess.Popen[bytes]) -> Generator[None]:
    def forward(*_: object) -> None:
        process.terminate()

    before = signal.signal(signal.SIGTERM, forward)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


_ESCAPES: Final = re.compile(rb"\x1b\[[0-9;]*m")
_STACK_ROW: Final = re.compile(rb"^ [ +~\-=<>*]{1,3} *pulumi:pulumi:Stack \S+ ?(?P<rest>.*)$")
# The engine's status of the stack: an operation, a count of messages, or both.
_STATUS: Final = re.compile(
    rb"^ *(?:running|creat(?:e|ing|ed)|updat(?:e|ing|ed)|delet(?:e|ing|ed)|refresh(?:ing|ed)?|read(?:ing)?"
    rb"|import(?:ing|ed)?|same|unchanged)? *"
    rb"(?:\(\d[\w.]*\))? *"
    rb"(?:\*\*[^*]+\*\*)? *"
    rb"(?:\d+ (?:messages?|warnings?|errors?|failures?)[;,]? *)*$"
)


def without_echoes(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines except those that Diagnostics repeats in full."""
    for line in lines:
        row = _STACK_ROW.match(_ESCAPES.sub(b"", line).rstrip(b"\r\n"))
        if row is None or _STATUS.match(row["rest"]):
            yield line
