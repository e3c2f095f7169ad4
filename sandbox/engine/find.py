"""Finds a Pulumi engine on PATH or in the cache; otherwise downloads or builds it."""

from __future__ import annotations

import sys

from gpucluster.sandbox.engine import cache, release
from gpucluster.sandbox.engine.model import Engine, EngineError
from gpucluster.sandbox.engine.on_path import engine_on_path
from gpucluster.sandbox.engine.progress import Say


def say_on_stderr(line: str) -> None:
    """Print a line of progress."""
    print(line, file=sys.stderr, flush=True)


def find_engine(*, say: Say = say_on_stderr) -> Engine:
    """The engine to use, downloaded or built if missing. Raises EngineError with the programs to install."""
    return engine_on_path(say, not_below=cache.cache_folder()) or _cached(say) or _prepare(say)


def build_anew(*, say: Say = say_on_stderr) -> Engine:
    """Build the engine into the cache, even if it has one. Raises EngineError."""
    with cache.installation_lock(say):
        return _build(say)


def _cached(say: Say) -> Engine | None:
    try:
        return cache.cached_engine()
    except cache.BrokenCache as error:
        say(f"The cached Pulumi engine in {cache.engine_folder()} is broken: {error}. It is built again.")
        return None


def _prepare(say: Say) -> Engine:
    from gpucluster.sandbox.engine.download import DownloadFailed, download_release

    with cache.installation_lock(say):
        try:
            made_meanwhile = cache.cached_engine()
        except cache.BrokenCache:
            made_meanwhile = None
        if made_meanwhile:
            return made_meanwhile
        say(f"Preparing the Pulumi engine {release.VERSION} in {cache.engine_folder()} (once).")
        try:
            platform = release.this_platform()
            cache.install("release", lambda folder: download_release(folder, platform, say))
            return _installed()
        except (DownloadFailed, cache.BrokenCache) as error:
            say(f"The official release is not used: {error}.")
        return _build(say)


def _build(say: Say) -> Engine:
    from gpucluster.sandbox.engine.build import build_engine

    try:
        cache.install("built", lambda folder: build_engine(folder, cache.cache_folder(), say))
    except cache.BrokenCache as error:
        raise EngineError(f"The Pulumi engine just built cannot be used: {error}.") from error
    except OSError as error:
        raise EngineError(f"The Pulumi engine cannot be built in {cache.engine_folder()}: {error}.") from error
    return _installed()


def _installed() -> Engine:
    engine = cache.cached_engine()
    assert engine is not None  # we hold the lock and have just installed it
    return engine
