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


def go_program(
    source: Path, package: str, say: Say, *, name: str | None = None, tags: Sequence[str] = (), linked: str = ""
) -> Path:
    """The program of a package, by the go.mod, go.sum and Go files in the folder `source`.

    name: of the program, the folder's where it is left out. linked: what the linker is told besides.
    Raises EngineError where it can't be built, and NoGo where there is no Go.
    """
    files = sorted(path for path in source.iterdir() if path.suffix in (".mod", ".sum", ".go"))
    version = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]
    name = name or source.name
    flags = ["-ldflags", f"-s -w {linked}".strip(), *(("-tags", ",".join(tags)) if tags else ())]
    installation = Installation(cache_folder() / name / f"{version}-{this_platform()}", name)
    with installation.lock(say):
        if installation.read() is None:
            installation.install({"package": package}, lambda into: _build(into / name, files, package, flags, say))
    return installation.folder / name


def _build(program: Path, files: Sequence[Path], package: str, flags: Sequence[str], say: Say) -> None:
    go = find_go(cache_folder(), say)
    work = program.parent / "source"
    work.mkdir()
    for path in files:
        shutil.copy(path, work)
    say(f"Building {program.name} with {go}: about 3 minutes on 2 cores, once.")
    start = time.monotonic()
    build = (str(go), "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-v")
    command = [*build, *flags, "-o", str(program), package]
    code, log = run_go(command, work, say)
    shutil.rmtree(work)
    if code != 0:
        raise EngineError(f"{program.name} could not be built: {last_words(log)}")
    say(f"Built {program.name} in {duration(time.monotonic() - start)}.")
