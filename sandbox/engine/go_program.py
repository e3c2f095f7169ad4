"""A program from Go modules: built once for each go.mod and go.sum, then kept in the cache that engines are kept in."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from gpucluster.cache import Installation, cache_folder
from gpucluster.sandbox.engine.go_build import last_words, run_go
from gpucluster.sandbox.engine.go_toolchain import find_go
from gpucluster.sandbox.engine.model import EngineError
from gpucluster.sandbox.engine.progress import Say, duration
from gpucluster.sandbox.engine.release import this_platform

__all__ = ["go_program"]


def go_program(source: Path, package: str, say: Say, *, tags: Sequence[str] = ()) -> Path:
    """The program of a package, by the go.mod, go.sum and Go files in the folder `source`; its name is the folder's.

    Raises EngineError where it can't be built, and NoGo where there is no Go.
    """
    files = sorted(path for path in source.iterdir() if path.suffix in (".mod", ".sum", ".go"))
    version = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    installation = Installation(cache_folder() / source.name / f"{version}-{this_platform()}", source.name)
    with installation.lock(say):
        if installation.read() is None:
            installation.install({"package": package}, lambda into: _build(into, files, package, tags, say))
    return installation.folder / source.name


def _build(into: Path, files: Sequence[Path], package: str, tags: Sequence[str], say: Say) -> None:
    name = files[0].parent.name
    go = find_go(cache_folder(), say)
    work = into / "source"
    work.mkdir()
    for path in files:
        shutil.copy(path, work)
    say(f"Building {name} with {go}: about 3 minutes on 2 cores, once.")
    start = time.monotonic()
    command = [
        *(str(go), "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-v", "-ldflags", "-s -w"),
        *(("-tags", ",".join(tags)) if tags else ()),
        *("-o", str(into / name), package),
    ]
    code, log = run_go(command, work, say)
    shutil.rmtree(work)
    if code != 0:
        raise EngineError(f"{name} could not be built: {last_words(log)}")
    say(f"Built {name} in {duration(time.monotonic() - start)}.")
