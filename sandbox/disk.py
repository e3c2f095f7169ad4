"""Whether the sandbox can write where its files are, and whether there is room for them."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

_MB: Final = 1_000_000
NEEDED: Final = 50 * _MB
"""Free space that a command needs at its start: the engine writes a state of some MB up to six times (the file, the one
before it, history, backup, and our copies), plugins and logs beside it."""
LEAST: Final = 20 * _MB
"""Free space below which a running command is stopped. The engine does not stop by itself: on a full disk it leaves a
state cut short (the file backend renames what it could not write whole), and goes on for minutes."""

_REFUSALS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM})


def obstacle(path: Path, needed: int = NEEDED) -> str:
    """Why nothing can be written to a file or folder, which need not exist yet, and the way out; empty where it can be.

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
    """What a refusal by the file system means to the user; empty for any other error."""
    if error.errno not in _REFUSALS:
        return ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of the project, or that of {tempfile.gettempdir()}, is full; free space on it"
    return f"{error.filename or 'a file'}: {error.strerror}"
