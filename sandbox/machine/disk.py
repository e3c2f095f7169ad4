"""The space that the sandbox needs, the temporary folder of one run, and the removal of folders of killed runs."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

from gpucluster.core.text.values import cut

_MB: Final = 1_000_000
NEEDED: Final = 50 * _MB
"""Free space that a command needs at its start: the engine writes a state of some MB up to six times (the file, its
predecessor, history, backup, and our copies), in addition to plugins and logs."""
LEAST: Final = 20 * _MB
"""Free space below which a running command is stopped. The engine does not stop on its own: on a full disk it leaves a
truncated state (the file backend renames partly written files), and continues for minutes."""

_REFUSALS: Final = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP}
)


def obstacle(path: Path, needed: int = NEEDED) -> str:
    """Why a file or folder, which need not exist yet, cannot be written, and the remedy; empty if it can.

    needed: bytes that must be free.
    """
    there = next(parent for parent in (path, *path.parents) if parent.exists())
    if os.statvfs(there).f_flag & os.ST_RDONLY:
        return f"{there} is on a read-only file system; mount it for writing, or copy the project to another disk"
    if not os.access(there, os.W_OK):
        own, owner = there.stat().st_uid == os.geteuid(), _owner(there)
        way_out = f"run `chmod -R u+rwX {there}`" if own else f"run this as {owner}, or in a copy of your own"
        return f"{there} is not writable: it belongs to {owner}, mode {there.stat().st_mode & 0o777:o}; {way_out}"
    free = shutil.disk_usage(there).free
    if free < needed:
        return (
            f"the disk of {there} has {free / _MB:.1f} MB free, and a command needs {needed // _MB}; free space on it, "
            "or copy the project to another disk"
        )
    return ""


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except KeyError:
        return f"user {path.stat().st_uid}"


def cause(error: OSError) -> str:
    """Explains an error of the file system to the user; empty for any other error."""
    if error.errno not in _REFUSALS:
        return ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of the project, or that of {tempfile.gettempdir()}, is full; free space on it"
    return f"{cut(str(error.filename or 'a file'))}: {error.strerror}"


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
