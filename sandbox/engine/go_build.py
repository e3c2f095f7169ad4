"""Runs a Go build: with progress, and with all its processes ended on interruption."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpucluster.core.cache import BrokenCache, Installation, cache_folder
from gpucluster.sandbox.engine.engine import EngineError, this_platform
from gpucluster.sandbox.engine.go_toolchain import find_go, go_environment
from gpucluster.sandbox.engine.progress import Say, duration, heartbeat


def build_command(go: Path, *packages: str, output: str, linked: str = "", tags: Sequence[str] = ()) -> list[str]:
    """The command that builds the programs of packages. output: the program, or a folder for several, ending in `/`.

    linked: additional linker flags.
    """
    return [
        *(str(go), "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-v"),
        *("-ldflags", f"-s -w {linked}".strip(), *(("-tags", ",".join(tags)) if tags else ())),
        *("-o", output, *packages),
    ]


def run_go(command: list[str], folder: Path, say: Say) -> tuple[int, list[str]]:
    """Exit code and log; an interrupted build ends together with all its child processes."""
    log: list[str] = []
    compiled = 0

    def state() -> str:
        return f"{compiled} packages compiled" if compiled else (log[-1] if log else "")

    process = subprocess.Popen(
        command,
        cwd=folder,
        env=go_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        with process.stdout as lines, heartbeat(say, "Building", state):
            for line in lines:
                log.append(line.rstrip())
                compiled += bool(re.fullmatch(r"[\w.~/-]+", log[-1]))  # -v prints each package as it is compiled
        return process.wait(), log
    finally:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def last_lines(log: list[str]) -> str:
    """The reason of a failed build: its last lines without package names and downloads."""
    telling = [line for line in log if not re.fullmatch(r"[\w.~/-]+|go: downloading .*", line) and line.strip()]
    return "\n  ".join(["", *telling[-8:]]) if telling else "it gave no reason"


@dataclass(frozen=True, kw_only=True)
class GoModule:
    """One version of a module. sum: its checksum, as in a go.sum."""

    path: str
    version: str
    sum: str

    def folder(self, go: Path) -> Path:
        """Its folder in Go's cache, downloaded if missing. Raises EngineError, also for another checksum."""
        name = f"{self.path}@{self.version}"
        # The committed checksum is sufficient; the public database need not be reachable.
        environment = go_environment() | {"GONOSUMDB": "*", "GOFLAGS": "-mod=mod"}
        command = [go, "mod", "download", "-json", name]
        with tempfile.TemporaryDirectory() as nowhere:
            done = subprocess.run(command, cwd=nowhere, env=environment, capture_output=True, text=True, check=False)
        try:
            answer: dict[str, str] = json.loads(done.stdout)
        except ValueError:
            raise EngineError(f"{name}: {done.stderr.strip()}") from None
        if answer.get("Error"):
            raise EngineError(answer["Error"])
        if answer["Sum"] != self.sum:
            raise EngineError(f"{name} has the checksum {answer['Sum']}, not the committed {self.sum}")
        return Path(answer["Dir"])


def copy_module(folder: Path, into: Path) -> None:
    """Makes a writable copy of a folder of Go's cache: the cache is read-only."""
    shutil.copytree(folder, into, copy_function=shutil.copyfile)
    for path in (into, *into.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)


@dataclass(frozen=True, kw_only=True)
class Patch:
    """A text in a file of the program's module that the build replaces."""

    file: str
    old: str
    new: str


OWN_FOLDER: Final = "gpucluster"
"""Folder of our Go files in the copy of a module."""


@dataclass(frozen=True, kw_only=True)
class GoProgram:
    """The recipe of a program.

    modules: folder of go.mod and go.sum. module: the module to build in instead, with its own go.mod and go.sum;
    `modules` then only has the `go` line of the toolchain. source: folder of the program's Go files, None if it is only
    `package`. linked: additional linker flags. patches: of `module`. home: its folder; the cache by default.
    """

    name: str
    package: str
    modules: Path
    module: GoModule | None = None
    source: Path | None = None
    tags: Sequence[str] = ()
    linked: str = ""
    patches: Sequence[Patch] = ()
    expected: str = "about 3 minutes on 2 cores, once"
    home: Path | None = None

    @property
    def installation(self) -> Installation:
        """The folder of the program: any change of its sources changes the folder."""
        recipe = "".join(map(repr, [*([self.module] if self.module else []), *self.patches])).encode()
        version = hashlib.sha256(b"".join([*(path.read_bytes() for path in self.files()), recipe])).hexdigest()[:16]
        return Installation((self.home or cache_folder()) / self.name / f"{version}-{this_platform()}", self.name)

    @property
    def path(self) -> Path:
        """The path of the built program."""
        return self.installation.folder / self.name

    def files(self) -> list[Path]:
        """The sources of the build, except the modules."""
        pinned = () if self.module else self.modules.iterdir()
        own = self.source or (None if self.module else self.modules)
        found = [path for path in pinned if path.suffix in (".mod", ".sum")]
        return sorted([*found, *(own.glob("*.go") if own else ())], key=lambda path: path.name)

    def is_there(self) -> bool:
        """Whether the program is built and intact."""
        try:
            return self.installation.read() is not None
        except BrokenCache:
            return False  # It is built again.

    def built(self, say: Say) -> Path:
        """The program, built if missing. Raises EngineError, and NoGo if there is no Go."""
        if not self.is_there():
            installation = self.installation
            with installation.lock(say):
                if not self.is_there():
                    installation.install({"package": self.package}, lambda into: self._build(into, say))
        return self.path

    def _build(self, into: Path, say: Say) -> None:
        go = find_go(cache_folder(), say, self.modules)
        work = into / "source"
        own = work
        if self.module is not None:
            copy_module(self.module.folder(go), work)
            own = work / OWN_FOLDER
        own.mkdir(exist_ok=True)
        for path in self.files():
            shutil.copy(path, own)
        for patch in self.patches:
            _apply(patch, work)
        say(f"Building {self.name} with {go}: {self.expected}.")
        start = time.monotonic()
        output = str(into / self.name)
        command = build_command(go, self.package, output=output, linked=self.linked, tags=self.tags)
        code, log = run_go(command, work, say)
        shutil.rmtree(work)
        if code != 0:
            raise EngineError(f"{self.name} could not be built: {last_lines(log)}")
        say(f"Built {self.name} in {duration(time.monotonic() - start)}.")


def go_program(
    source: Path, package: str, say: Say, *, name: str | None = None, tags: Sequence[str] = (), linked: str = ""
) -> Path:
    """The program of a package, by the go.mod, go.sum and Go files in the folder `source`.

    name: of the program, by default the folder's. linked: additional linker flags.
    Raises EngineError if the build fails, and NoGo if there is no Go.
    """
    program = GoProgram(name=name or source.name, package=package, modules=source, tags=tags, linked=linked)
    return program.built(say)


def _apply(patch: Patch, work: Path) -> None:
    """Raises EngineError."""
    file = work / patch.file
    text = file.read_text()
    if patch.old not in text:
        raise EngineError(f"{patch.file} has no {patch.old}: the build takes another text for it")
    file.write_text(text.replace(patch.old, patch.new))
