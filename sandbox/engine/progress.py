"""Progress lines of long steps."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

Say = Callable[[str], None]

EVERY_SECONDS = 15.0


@contextmanager
def heartbeat(say: Say, doing: str, detail: Callable[[], str] = str, every: float = EVERY_SECONDS) -> Generator[None]:
    """Report every `every` seconds the current step, its duration, and `detail()`; in a terminal and without one."""
    done = threading.Event()
    start = time.monotonic()

    def beat() -> None:
        while not done.wait(every):
            say(", ".join(filter(None, [f"{doing}: {duration(time.monotonic() - start)} so far", detail()])))

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def duration(seconds: float) -> str:
    """`75.2` -> `1 min 15 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
