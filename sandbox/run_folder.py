"""The temporary folder of one run, and the removal of those whose run was killed."""

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
    """An empty folder with a short path, gone when the context ends; first removes what killed runs left.

    A run holds a lock on a file in its folder for as long as it lives, however it ends: a folder whose lock is free is
    nobody's.
    """
    _sweep()
    # Made under another name, so that no other run finds it before it is locked.
    made = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}"))
    with (made / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = made.rename(made.with_name(made.name.removeprefix(".")))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _sweep() -> None:
    """Removes the folders of dead runs; those of other users stay."""
    for file in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
        with suppress(OSError):
            if file.stat().st_uid == os.getuid():
                with file.open() as lock:
                    _remove_if_free(lock, file.parent)


def _remove_if_free(lock: IO[str], folder: Path) -> None:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # OSError while its run lives.
    shutil.rmtree(folder, ignore_errors=True)
