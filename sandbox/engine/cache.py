"""Engines kept in the user's cache folder."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from gpucluster.cache import CACHE_VARIABLE, BrokenCache, Installation, UnwritableCache, cache_folder, empty
from gpucluster.sandbox.engine import release
from gpucluster.sandbox.engine.model import Engine, EngineError, Origin
from gpucluster.sandbox.engine.on_path import ask_version
from gpucluster.sandbox.engine.progress import Say

__all__ = [
    "CACHE_VARIABLE",
    "BrokenCache",
    "cache_folder",
    "cached_engine",
    "clear",
    "engine_folder",
    "install",
    "installation_lock",
]


def engine_folder() -> Path:
    """The folder of the engine of this version and platform."""
    return cache_folder() / "engine" / f"v{release.VERSION}-{release.this_platform()}"


def _installation() -> Installation:
    return Installation(engine_folder(), "the Pulumi engine", record="engine.json", check=_check_answer)


def cached_engine() -> Engine | None:
    """The engine in the cache; None if it is missing. Raises BrokenCache."""
    installation = _installation()
    record = installation.read()
    if record is None:
        return None
    try:
        origin: Origin = record["origin"]
    except KeyError as error:
        raise BrokenCache(f"cannot read its record ({error})") from error
    folder = installation.folder
    return Engine(
        binary=folder / "pulumi",
        version=release.VERSION,
        origin=origin,
        language_host=folder if origin == "built" else None,
    )


def _check_answer(folder: Path) -> None:
    """Request the version of the binary."""
    answer = ask_version(folder / "pulumi")
    if answer != f"v{release.VERSION}":
        raise BrokenCache(f'its pulumi does not answer with its version, v{release.VERSION} (it said "{answer}")')


def install(origin: Origin, fill: Callable[[Path], None]) -> None:
    """Replace the cached engine by the content that `fill` writes into a new folder. Requires `installation_lock`.

    Raises BrokenCache if the new engine does not run; the cached engine then stays unchanged.
    """
    _installation().install({"origin": origin, "version": release.VERSION}, fill)


@contextmanager
def installation_lock(say: Say) -> Generator[None]:
    """Limits this cache to one installation at a time; prints a message before waiting. Raises EngineError."""
    try:
        with _installation().lock(say):
            yield
    except UnwritableCache as error:
        raise EngineError(str(error)) from error


def clear() -> bool:
    """Remove engines and toolchains from the cache; False if it was empty. Requires `installation_lock`."""
    return empty(cache_folder() / "engine", cache_folder() / "go")
