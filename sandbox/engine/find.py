"""The user's installed `pulumi`, if its version is accepted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from gpucluster.core.cache import CACHE_VARIABLE, BrokenCache, Installation, UnwritableCache, cache_folder, empty
from gpucluster.sandbox.engine import engine as release
from gpucluster.sandbox.engine.engine import Engine, EngineError, Origin
from gpucluster.sandbox.engine.go_build import build_command, last_lines, run_go
from gpucluster.sandbox.engine.go_toolchain import NoGo, find_go, needed_go
from gpucluster.sandbox.engine.progress import Say, duration

__all__ = [
    "CACHE_VARIABLE",
    "BrokenCache",
    "ask_version",
    "build_engine",
    "cache_folder",
    "cached_engine",
    "clear",
    "engine_folder",
    "engine_on_path",
    "find_engine",
    "install",
    "installation_lock",
    "rebuild_engine",
    "say_on_stderr",
]


_LANGUAGE_HOST = "pulumi-language-python"


def engine_on_path(say: Say, not_below: Path) -> Engine | None:
    """The engine on PATH; None, and a line with the reason, if it is not accepted.

    An engine below the folder `not_below` (our cache) is skipped silently: it is found and checked there.
    """
    found = shutil.which("pulumi")
    if found is None:
        return None
    binary = Path(found)
    if binary.resolve().is_relative_to(not_below.resolve()):
        return None
    answer = ask_version(binary)
    version = release.parse_version(answer)
    if version is None:
        reason = f'does not print its version (it said "{answer}")'
    elif not release.is_accepted(version):
        reason = f"is version {_text(version)}; {release.ACCEPTED_RANGE} is required"
    elif not _has_language_host(binary):
        reason = f"has no {_LANGUAGE_HOST} beside it or on PATH"
    else:
        return Engine(binary=binary, version=_text(version), origin="PATH", language_host=None)
    say(f"pulumi on PATH ({binary}) is not used: it {reason}.")
    return None


def ask_version(binary: Path) -> str:
    """The output of `pulumi version`, or its error; one line."""
    environment = dict(os.environ) | {"PULUMI_SKIP_UPDATE_CHECK": "1"}
    try:
        done = subprocess.run(
            [binary, "version"],
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=release.ANSWERS_WITHIN,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    text = done.stdout if done.returncode == 0 else done.stderr
    return text.strip().partition("\n")[0]


def _has_language_host(binary: Path) -> bool:
    hosts = [folder / _LANGUAGE_HOST for folder in (binary.parent, binary.resolve().parent)]
    return any(os.access(path, os.X_OK) for path in hosts) or shutil.which(_LANGUAGE_HOST) is not None


def _text(version: release.Version) -> str:
    return ".".join(map(str, version))


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


_HERE = Path(__file__).parent
_PACKAGE = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
_VERSION_VARIABLE = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"
EXPECTED = "about 5 minutes on 2 cores and 3 GB in Go's caches the first time, seconds after that"

_LAUNCHER = """\
#!/bin/sh
# Starts the Python language host of the checkout that runs the engine.
if [ -z "$GPUCLUSTER_PYTHON" ]; then
  echo "This Pulumi engine belongs to the sandbox: run it as 'gpucluster sandbox pulumi ...'." >&2
  exit 1
fi
exec "$GPUCLUSTER_PYTHON" -P -m gpucluster.sandbox.engine.language_host "$@"
"""


def build_engine(destination: Path, cache: Path, say: Say) -> None:
    """Put `pulumi` and the launcher of our language host into the existing folder `destination`.

    Raises EngineError, with the reason of the build.
    """
    try:
        go = find_go(cache, say)
    except NoGo as error:
        raise EngineError(_advice(str(error))) from error
    source = destination / "source"
    source.mkdir()
    for name in ("go.mod", "go.sum"):
        shutil.copy(_HERE / name, source)
    binary = destination / "pulumi"
    linked = f"-X {_VERSION_VARIABLE}=v{release.VERSION}"
    command = build_command(go, _PACKAGE, output=str(binary), linked=linked)
    say(f"Building Pulumi {release.VERSION} with {go}: {EXPECTED}.")
    start = time.monotonic()
    code, log = run_go(command, source, say)
    shutil.rmtree(source)
    if code != 0 or not binary.exists():
        raise EngineError(_advice(f"go build failed: {last_lines(log)}"))
    say(f"Built Pulumi {release.VERSION} in {duration(time.monotonic() - start)}.")
    launcher = destination / "pulumi-language-python"
    launcher.write_text(_LAUNCHER)
    launcher.chmod(0o755)


def _advice(reason: str) -> str:
    go = ".".join(map(str, needed_go()))
    return (
        f"The Pulumi engine is missing and could not be built: {reason}\n"
        f"Install one of these and run the command again:\n"
        f"  Pulumi {release.ACCEPTED_RANGE}: https://www.pulumi.com/docs/install/\n"
        f"  Go {go} or newer, with access to a Go module proxy (GOPROXY): https://go.dev/doc/install"
    )


def say_on_stderr(line: str) -> None:
    """Print a line of progress."""
    print(line, file=sys.stderr, flush=True)


def find_engine(*, say: Say = say_on_stderr) -> Engine:
    """The engine to use, downloaded or built if missing. Raises EngineError with the programs to install."""
    return engine_on_path(say, not_below=cache_folder()) or _cached(say) or _prepare(say)


def rebuild_engine(*, say: Say = say_on_stderr) -> Engine:
    """Build the engine into the cache, even if it has one. Raises EngineError."""
    with installation_lock(say):
        return _build(say)


def _cached(say: Say) -> Engine | None:
    try:
        return cached_engine()
    except BrokenCache as error:
        say(f"The cached Pulumi engine in {engine_folder()} is broken: {error}. It is built again.")
        return None


def _prepare(say: Say) -> Engine:
    from gpucluster.sandbox.engine.download import DownloadFailed, download_release

    with installation_lock(say):
        try:
            made_meanwhile = cached_engine()
        except BrokenCache:
            made_meanwhile = None
        if made_meanwhile:
            return made_meanwhile
        say(f"Preparing the Pulumi engine {release.VERSION} in {engine_folder()} (once).")
        try:
            platform = release.this_platform()
            install("release", lambda folder: download_release(folder, platform, say))
            return _installed()
        except (DownloadFailed, BrokenCache) as error:
            say(f"The official release is not used: {error}.")
        return _build(say)


def _build(say: Say) -> Engine:

    try:
        install("built", lambda folder: build_engine(folder, cache_folder(), say))
    except BrokenCache as error:
        raise EngineError(f"The Pulumi engine just built cannot be used: {error}.") from error
    except OSError as error:
        raise EngineError(f"The Pulumi engine cannot be built in {engine_folder()}: {error}.") from error
    return _installed()


def _installed() -> Engine:
    engine = cached_engine()
    assert engine is not None  # we hold the lock and have just installed it
    return engine
