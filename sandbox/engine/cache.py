"""Engines kept in the user's cache folder: installed whole or not at all, and checked when used."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from sandbox.engine import release
from sandbox.engine.model import Engine, EngineError, Origin
from sandbox.engine.on_path import ask_version
from sandbox.engine.progress import Say

CACHE_VARIABLE = "GPUCLUSTER_CACHE"

_RECORD = "engine.json"
_VERIFIED = "verified.json"


class BrokenCache(Exception):
    """The cached engine is not what was installed; the message says how."""


def cache_folder() -> Path:
    """Where engines and toolchains are kept: GPUCLUSTER_CACHE, else the user's cache folder."""
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).absolute()
    import platformdirs

    return Path(platformdirs.user_cache_path("gpucluster", appauthor=False))


def engine_folder() -> Path:
    """Where the engine of this version and platform is kept."""
    return cache_folder() / "engine" / f"v{release.VERSION}-{release.this_platform()}"


def cached_engine() -> Engine | None:
    """The engine in the cache; None where there is none. Raises BrokenCache."""
    folder = engine_folder()
    if not folder.exists():
        return None
    try:
        record = json.loads((folder / _RECORD).read_text())
        origin: Origin = record["origin"]
        sums: dict[str, str] = record["sha256"]
        _verify(folder, sums)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BrokenCache(f"its record cannot be read ({error})") from error
    return Engine(
        binary=folder / "pulumi",
        version=release.VERSION,
        origin=origin,
        language_host=folder if origin == "built" else None,
    )


def _verify(folder: Path, sums: dict[str, str]) -> None:
    """Compare every file with its checksum, and ask the binary its version.

    Files whose identity, size and time of last change are those of the last verification are not read again:
    that would cost 0.3 s in every command.
    """
    for name in sums:
        if not (folder / name).exists():
            raise BrokenCache(f"{name} is missing")
    marks = {name: _mark(folder / name) for name in sums}
    with suppress(OSError, ValueError):
        if json.loads((folder / _VERIFIED).read_text()) == marks:
            return
    for name, expected in sums.items():
        if _sha256(folder / name) != expected:
            raise BrokenCache(f"{name} is not the file that was installed")
    _check_answer(folder)
    with suppress(OSError):  # a cache that cannot be written is verified each time
        (folder / _VERIFIED).write_text(json.dumps(marks))


def _check_answer(folder: Path) -> None:
    answer = ask_version(folder / "pulumi")
    if answer != f"v{release.VERSION}":
        raise BrokenCache(f'its pulumi does not answer with its version, v{release.VERSION} (it said "{answer}")')


def _mark(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def install(origin: Origin, fill: Callable[[Path], None]) -> None:
    """Replace the cached engine by what `fill` puts into a new folder. To be called under `installation_lock`.

    Raises BrokenCache when what `fill` made does not run; the cached engine then stays as it was.
    """
    folder = engine_folder()
    # Under the lock nobody else is installing: what is here was left by an interrupted run.
    for left in folder.parent.glob(f".{folder.name}.*"):
        _remove(left)
    new = folder.with_name(f".{folder.name}.{uuid4().hex}")
    new.mkdir()
    try:
        fill(new)
        sums = {path.name: _sha256(path) for path in sorted(new.iterdir())}
        _check_answer(new)
        (new / _RECORD).write_text(json.dumps({"origin": origin, "version": release.VERSION, "sha256": sums}, indent=2))
        if folder.exists():
            folder.rename(folder.with_name(f".{folder.name}.{uuid4().hex}"))
        new.rename(folder)
    finally:
        for left in folder.parent.glob(f".{folder.name}.*"):
            _remove(left)


@contextmanager
def installation_lock(say: Say) -> Generator[None]:
    """One installation at a time on this cache; says so when it has to wait. Raises EngineError."""
    from filelock import FileLock, Timeout

    folder = engine_folder()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder.with_name(folder.name + ".lock"))
        try:
            lock.acquire(timeout=0)
        except Timeout:
            say("Another command is preparing the Pulumi engine: waiting for it.")
            lock.acquire()
    except OSError as error:
        raise EngineError(
            f"The cache folder {folder.parent} cannot be written: {error.strerror}.\n"
            f"Set {CACHE_VARIABLE} to a folder that can, with 1 GB free."
        ) from error
    try:
        yield
    finally:
        lock.release()


def clear() -> bool:
    """Remove everything from the cache; False when there was nothing. To be called under `installation_lock`."""
    folders = [cache_folder() / "engine", cache_folder() / "go"]
    found = [entry for folder in folders if folder.exists() for entry in folder.iterdir() if entry.suffix != ".lock"]
    for entry in found:
        _remove(entry)
    return bool(found)


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
