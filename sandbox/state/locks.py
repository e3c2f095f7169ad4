"""What a killed engine leaves in the files of a stack: locks, and files that were cut short.

The file backend writes `locks/organization/<project>/<stack>/<uuid>.json` with pid, user, host and time of the engine,
and removes it when the engine exits; a killed engine leaves it behind.
"""

from __future__ import annotations

import json
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpucluster.core.text.type_guards import mapping
from gpucluster.errors import InputError
from gpucluster.sandbox.project.project import Project, Store
from gpucluster.sandbox.state.state import seconds

_PATIENCE: Final = 10.0
"""Seconds for an engine to exit: if its sandbox was killed, it receives a signal to stop, and first finishes requests
in flight."""


_CLOCK_ERROR: Final = 60.0
"""Maximum error of a process's start time in seconds: it is counted from the boot, whose time moves with the clock."""


@dataclass(frozen=True)
class Lock:
    """One lock file; pid is 0 if the crash truncated the file."""

    file: Path
    pid: int
    user: str
    host: str
    since: str

    @property
    def stack(self) -> str:
        """The locked stack."""
        return self.file.parent.name

    @property
    def here(self) -> bool:
        """Whether it was taken on this machine; the state of other machines is unknown."""
        return self.host == socket.gethostname()

    @property
    def dead(self) -> bool:
        """Whether its process is known to have ended."""
        import psutil  # Imported late: most runs find no lock.

        if not self.pid:
            return True
        if not self.here:
            return False
        try:
            process = psutil.Process(self.pid)
            # A process that started well after the lock was taken only reuses the number.
            return (
                process.status() == psutil.STATUS_ZOMBIE or process.create_time() > seconds(self.since) + _CLOCK_ERROR
            )
        except psutil.NoSuchProcess:
            return True

    def remove(self) -> None:
        """Removes the lock and the backend's attributes beside it."""
        self.file.unlink(missing_ok=True)
        self.file.with_name(f"{self.file.name}.attrs").unlink(missing_ok=True)

    def __str__(self) -> str:
        return f"process {self.pid} of {self.user} on {self.host} since {self.since}"


def locks(project: Project, stack: str) -> list[Lock]:
    """The locks on a stack."""
    return [_lock(file) for file in sorted(_folder(project.store).glob(f"{project.name}/{stack}/*.json"))]


def all_locks(store: Store) -> list[Lock]:
    """The locks on every stack, including those from before a renaming of the project."""
    return [_lock(file) for file in sorted(_folder(store).glob("*/*/*.json"))]


def _folder(store: Store) -> Path:
    return store.state / ".pulumi" / "locks" / "organization"


def refuse_living(found: list[Lock]) -> None:
    """Raises InputError for a lock whose process may be running."""
    living = next((lock for lock in found if not lock.dead), None)
    if living is None:
        return
    if living.here:
        raise InputError(
            f"the stack {living.stack} is in use: {living} still runs; wait until it ends, or end it, then "
            "run this again"
        )
    cancel = f"`gpucluster sandbox pulumi cancel --yes --stack {living.stack}`"
    raise InputError(
        f"the stack {living.stack} is locked by {living}, another machine that cannot be checked from here; if "
        f"that process is dead, run {cancel}, then run this again"
    )


def settled(project: Project, stack: str) -> list[Lock]:
    """The locks after a short wait for their processes to exit."""
    until = time.monotonic() + _PATIENCE
    found = locks(project, stack)
    while any(lock.here and not lock.dead for lock in found) and time.monotonic() < until:
        time.sleep(0.1)
        found = locks(project, stack)
    return found


def _lock(file: Path) -> Lock:
    try:
        content = mapping(json.loads(file.read_text()))
        pid = int(str(content["pid"]))
    except (OSError, ValueError, KeyError):
        return Lock(file, 0, "?", "?", "?")
    user, host, since = (str(content.get(key, "?")) for key in ("username", "hostname", "timestamp"))
    return Lock(file, pid, user, host, since)


def cut_short(project: Project, stack: str) -> list[Path]:
    """Truncated files of a stack that are safe to remove while no engine uses it.

    The backend writes a file under another name and renames it, but not the attributes beside it: an empty
    `<stack>.json.attrs` makes every command fail with "failed to load checkpoint: EOF". Without the file the backend
    reads the state.
    """
    root = project.store.state / ".pulumi"
    files = [
        *root.glob("meta.yaml*"),
        *(root / "stacks" / project.name).glob(f"{stack}.json*"),
        *(file for kind in ("history", "backups") for file in (root / kind / project.name / stack).glob("*")),
    ]
    return sorted(file for file in files if file.suffix == ".tmp" or (file.suffix == ".attrs" and not _is_json(file)))


def _is_json(file: Path) -> bool:
    try:
        json.loads(file.read_text())
    except ValueError:
        return False
    return True
