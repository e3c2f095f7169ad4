"""Microsoft's azurerm provider as a judging program: `python -m gpucluster.judges.azurerm.build`.

The provider's repository has it as version 5.2.0; as a Go module it is identified by its commit. Its resources are
internal to that module, so `main.go` is built in a copy of it. 9 minutes of CPU, 27 on two cores with other load, 5 GB
in Go's caches, 168 MB in the end (measured 2026-11-23, 2 cores): never part of a test, and once for each version.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from gpucluster.cache import BrokenCache, Installation, UnwritableCache, cache_folder
from gpucluster.errors import Exit
from gpucluster.sandbox.engine.find import say_on_stderr
from gpucluster.sandbox.engine.go_build import build_command, last_words, run_go
from gpucluster.sandbox.engine.go_environment import go_environment
from gpucluster.sandbox.engine.go_toolchain import NoGo, find_go
from gpucluster.sandbox.engine.model import EngineError
from gpucluster.sandbox.engine.progress import Say, duration
from gpucluster.sandbox.engine.release import this_platform

VERSION: Final = "5.2.0"
"""Of the provider."""

_MODULE: Final = "github.com/hashicorp/terraform-provider-azurerm"
_COMMIT: Final = "v1.44.1-0.20260824201233-fae580791926"
_SUM: Final = "h1:SOgvTJZXNyxmkHHHx8ifgotbvhOi/eadVkoyBNr+4hk="
_PARTS: Final = ("go.mod", "go.sum", "helpers", "internal", "utils", "version")
_MAIN: Final = Path(__file__).with_name("main.go")
_NAME: Final = "azurerm-judge"
_EXPECTED: Final = "about 10 minutes on 2 cores and 5 GB in Go's caches the first time"


def _installation() -> Installation:
    main = hashlib.sha256(_MAIN.read_bytes()).hexdigest()[:12]
    folder = cache_folder() / "azurerm" / f"v{VERSION}-{main}-{this_platform()}"
    return Installation(folder, "the azurerm provider", check=_check_answer)


def program() -> Path | None:
    """The program in the cache, None if it is not built or damaged."""
    installation = _installation()
    try:
        return installation.folder / _NAME if installation.read() is not None else None
    except BrokenCache:
        return None


def build(say: Say = say_on_stderr) -> Path:
    """The program, built if missing. Raises EngineError, with the reason of the build."""
    installation = _installation()
    try:
        with installation.lock(say):
            if program() is None:
                installation.install({"version": VERSION}, lambda into: _build(into, say))
    except BrokenCache as error:
        raise EngineError(f"The azurerm provider just built cannot be used: {error}.") from error
    except UnwritableCache as error:
        raise EngineError(str(error)) from error
    return installation.folder / _NAME


def _build(into: Path, say: Say) -> None:
    try:
        go = find_go(cache_folder(), say)
    except NoGo as error:
        raise EngineError(f"The azurerm provider cannot be built: {error}") from error
    say(f"Building the azurerm provider {VERSION} with {go}: {_EXPECTED}.")
    start, source = time.monotonic(), into / "source"
    _copy(_downloaded(go, into), source)
    code, log = run_go(build_command(go, "./judge", output=str(into / _NAME)), source, say)
    shutil.rmtree(source)
    if code != 0:
        raise EngineError(f"The azurerm provider cannot be built: go build failed: {last_words(log)}")
    say(f"Built the azurerm provider {VERSION} in {duration(time.monotonic() - start)}.")


def _downloaded(go: Path, folder: Path) -> Path:
    """The folder of the module, verified against the pinned checksum."""
    command = [str(go), "mod", "download", "-json", f"{_MODULE}@{_COMMIT}"]
    done = subprocess.run(command, cwd=folder, env=go_environment(), capture_output=True, text=True, check=False)
    found: dict[str, Any] = json.loads(done.stdout or "{}")
    if done.returncode != 0 or found.get("Sum") != _SUM:
        reason = found.get("Error") or done.stderr.strip() or f"its sum is {found.get('Sum')}, not {_SUM}"
        raise EngineError(f"The azurerm provider cannot be downloaded: {reason}")
    return Path(found["Dir"])


def _copy(module: Path, source: Path) -> None:
    """The built parts of the module, with our program added. Go makes the module's files read-only."""
    source.mkdir()
    for part in _PARTS:
        origin = module / part
        if origin.is_dir():
            shutil.copytree(origin, source / part, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(origin, source / part)
    for folder in (source, *source.rglob("*/")):
        folder.chmod(0o755)
    (source / "judge").mkdir()
    shutil.copyfile(_MAIN, source / "judge" / "main.go")


def _check_answer(folder: Path) -> None:
    """Test it with a group without a name."""
    asked = json.dumps({"type": "azurerm_resource_group", "config": {"location": "eastus"}})
    try:
        done = subprocess.run([folder / _NAME], input=asked, capture_output=True, text=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BrokenCache(f"it does not run ({error})") from error
    if '"refusals":[{"path":"name"' not in done.stdout:
        raise BrokenCache(f"it does not judge ({(done.stdout or done.stderr).strip()[:200]})")


if __name__ == "__main__":
    try:
        print(build())
    except EngineError as error:
        print(error, file=sys.stderr)
        sys.exit(Exit.FAULT)
