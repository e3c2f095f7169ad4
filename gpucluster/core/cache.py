"""The user's cache folder: its contents are installed atomically, and verified on use."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from gpucluster.errors import Fault

CACHE_VARIABLE: Final = "GPUCLUSTER_CACHE"

_VERIFIED: Final = "verified.json"


class BrokenCache(Fault):
    """The cache differs from the installed contents; the message gives the difference."""


class UnwritableCache(Fault):
    """The cache folder is not writable; the message names it, and the change to make."""


def cache_folder() -> Path:
    """The folder of all caches: GPUCLUSTER_CACHE, else the user's cache folder."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).absolute()
    import platformdirs

    return Path(platformdirs.user_cache_path("gpucluster", appauthor=False))


def _accept(folder: Path) -> None:
    """Accepts files that need no check."""


@dataclass(frozen=True)
class Installation:
    """One folder of the cache.

    what: description of the contents, for the middle of a sentence. record: the file that describes the installation.
    check: raises BrokenCache if the files in a folder do not work; files that do not run need none.
    """

    folder: Path
    what: str
    record: str = "installed.json"
    check: Callable[[Path], None] = _accept

    def read(self) -> Mapping[str, Any] | None:
        """The record of the installation; None without one. Raises BrokenCache."""
        if not self.folder.exists():
            return None
        try:
            record: dict[str, Any] = json.loads((self.folder / self.record).read_text())
            self._verify(record["sha256"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BrokenCache(f"cannot read its record ({error})") from error
        return record

    def _verify(self, sums: Mapping[str, str]) -> None:
        """Compare every file with its checksum, and check that they work.

        Files with the identity, size and modification time of the last verification are not read again:
        that would take 0.3 s in every command.
        """
        for name in sums:
            if not (self.folder / name).exists():
                raise BrokenCache(f"{name} is missing")
        marks = {name: _mark(self.folder / name) for name in sums}
        with suppress(OSError, ValueError):
            if json.loads((self.folder / _VERIFIED).read_text()) == marks:
                return
        for name, expected in sums.items():
            if _sha256(self.folder / name) != expected:
                raise BrokenCache(f"{name} differs from the installed file")
        self.check(self.folder)
        with suppress(OSError):  # an unwritable cache is verified each time
            (self.folder / _VERIFIED).write_text(json.dumps(marks))

    def install(self, record: Mapping[str, Any], fill: Callable[[Path], None]) -> None:
        """Replace the contents with those that `fill` writes into a new folder. Call it under `lock`.

        Raises BrokenCache if the new contents do not work; the previous ones are kept.
        """
        # Under the lock there is no other installation: existing files were left by an interrupted run.
        for left in self.folder.parent.glob(f".{self.folder.name}.*"):
            _remove(left)
        new = self._temporary_folder()
        new.mkdir()
        try:
            fill(new)
            files = (path for path in sorted(new.rglob("*")) if path.is_file())
            sums = {str(path.relative_to(new)): _sha256(path) for path in files}
            self.check(new)
            (new / self.record).write_text(json.dumps({**record, "sha256": sums}, indent=2))
            if self.folder.exists():
                self.folder.rename(self._temporary_folder())
            new.rename(self.folder)
        finally:
            for left in self.folder.parent.glob(f".{self.folder.name}.*"):
                _remove(left)

    def _temporary_folder(self) -> Path:
        return self.folder.with_name(f".{self.folder.name}.{uuid4().hex}")

    @contextmanager
    def lock(self, report: Callable[[str], None]) -> Generator[None]:
        """One installation at a time; prints a message before waiting. Raises UnwritableCache."""
        from filelock import FileLock, Timeout

        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.folder.with_name(self.folder.name + ".lock"))
            try:
                lock.acquire(timeout=0)
            except Timeout:
                report(f"Another command is preparing {self.what}: waiting for it.")
                lock.acquire()
        except OSError as error:
            raise UnwritableCache(
                f"Cannot write the cache folder {self.folder.parent}: {error.strerror}.\n"
                f"Set {CACHE_VARIABLE} to a writable folder with 1 GB free."
            ) from error
        try:
            yield
        finally:
            lock.release()


def empty(*folders: Path) -> bool:
    """Remove everything from these folders except locks; False if they are empty."""
    found = [entry for folder in folders if folder.exists() for entry in folder.iterdir() if entry.suffix != ".lock"]
    for entry in found:
        _remove(entry)
    return bool(found)


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)


def _mark(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
