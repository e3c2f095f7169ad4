"""Waits for a condition, with one limit for all: it stops a test that hangs, and says nothing about speed."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar

import psutil

__all__ = ["LIMIT", "output_of", "wait_for", "wait_for_end"]

LIMIT: Final = 500.0
"""Seconds: more than a busy machine takes for anything here, a node that is given up after 340 among it, and less
than pytest allows a test."""

T = TypeVar("T")


def wait_for(
    what: str,
    look: Callable[[], T],
    *,
    of: subprocess.Popen[Any] | None = None,
    scene: Callable[[], str] = str,
    tick: float = 0.02,
) -> T:
    """What `look` finds, once that is true.

    of: a process without which it never comes. scene: what there is instead, for the failure. tick: seconds between two
    looks.
    """
    end = time.monotonic() + LIMIT
    while not (found := look()):
        assert of is None or of.poll() is None, f"{what}: the process ended with {of and of.returncode}\n{scene()}"
        assert time.monotonic() < end, f"not within {LIMIT:.0f} seconds: {what}\n{scene()}"
        time.sleep(tick)
    return found


def wait_for_end(processes: Iterable[psutil.Process]) -> None:
    """Waits until all have ended."""
    _, alive = psutil.wait_procs([*processes], timeout=LIMIT)
    assert alive == [], f"not ended within {LIMIT:.0f} seconds"


def output_of(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What a process writes to both pipes until it ends."""
    return process.communicate(timeout=LIMIT)
