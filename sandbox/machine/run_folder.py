"""The temporary folder of one run, and the removal of folders of killed runs."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

_PREFIX: Final = "sandbox-"
_LOCK: Final = "lock"


@contextmanager
def scratch_folder() -> Generator[Path]:
    """An empty folder with a short path, deleted when the context ends; first removes folders of killed runs.

    A run holds a lock on a file in its folder until its process ends, in whatever way: a folder with a free lock is
    unused.
    """
    _sweep()
    # Created under another name, so that no other run finds it before it is locked.
    made = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}"))
    with (made / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = made.rename(made.with_name(made.name.removeprefix(".")))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Removes the folders of dead runs, except those of other users."""
    for file in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
        with suppress(OSError):
            if file.stat().st_uid == os.getuid():
                with file.open() as lock:
                    _remove_if_free(lock, file.parent)


def _remove_if_free(lock: IO[str], folder: Path) -> None:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # OSError while its run is alive.
    shutil.rmtree(folder, ignore_errors=True)
