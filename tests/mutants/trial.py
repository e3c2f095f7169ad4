"""Tries mutants on a copy of the tree: by the tests that run the changed line, the nearest first."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

import psutil
import pytest
from coverage import CoverageData

from gpucluster.checkout import python_path
from gpucluster.core.cache import CACHE_VARIABLE
from tests.mutants.choose import Mutant
from tests.mutants.probe import AREA, DATA, IMPORT

_PYTEST: Final = (
    sys.executable,
    "-m",
    "pytest",
    "--quiet",
    "--tb=no",
    "-opythonpath=",
    "-pno:cacheprovider",
    "-m",
    "not slow",
)
_FIRST: Final = 25
"""Tests of the nearest file, evenly taken, that are tried before whole files: most mutants end here."""
_SLOWER: Final = 10
"""Times the CPU that the tests take unchanged, after which they fail."""
_WAITING: Final = 3
"""Times that limit, by the clock: on a busy machine, or where a change makes them wait for ever."""
_STARTING: Final = 60
"""Seconds of CPU in which any file is imported."""


@dataclass(frozen=True)
class Area:
    """What the quick tests of an area run. failed: those that fail without a change, and that no mutant meets."""

    ran: CoverageData
    files: Sequence[str]
    failed: Sequence[str]
    seconds: Mapping[str, float]

    def stages(self, mutant: Mutant) -> Iterator[list[str]]:
        """Tests of the nearest file that run the line; all files with such a test, or all, if none is known to.

        Of a line that runs at import: also the files of its folder.
        """
        known = self.ran.contexts_by_lineno(mutant.file)
        at = max((line for line in known if line <= mutant.line), default=0)
        met = set(known.get(at, ()))
        imported = not mutant.inside or IMPORT in met
        if imported:
            met = {context for contexts in known.values() for context in contexts}
        met -= {"", IMPORT, *self.failed}
        files = sorted({_file(it) for it in met} or self.files, key=lambda file: _distance(mutant.file, file))
        tests = sorted(it for it in met if "::" in it and _file(it) == files[0])
        yield tests[:: len(tests) // _FIRST + 1]
        if imported:  # What it registers or declares may be tested without a run of the file.
            files += sorted({it for it in self.files if _beside(mutant.file, it)}.difference(files))
        yield files


class Tree:
    """A copy of all that git knows or would add, whose code may change; with what the caches have, which it may too."""

    def __init__(self, root: Path, folder: Path, cache: Path) -> None:
        self.root, self.folder, self.tries = root, folder / "tree", 0
        for name in listed(root):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, self.folder / name, follow_symlinks=False)
        (self.folder / ".venv").symlink_to(root / ".venv")
        self._tests, self._temporary, copied = folder / "tests", folder / "tmp", folder / "cache"
        if cache.exists():
            shutil.copytree(cache, copied, symlinks=True, copy_function=os.link)
        # Found before the folder itself, whose `gpucluster` lacks the parts that the installed checkout has.
        path = {"PYTHONPATH": python_path(self.folder), "PYTHONSAFEPATH": "1"}
        self._environment = {**path, CACHE_VARIABLE: str(copied)}

    def survives(self, mutant: Mutant, area: Area) -> bool:
        """Whether all tests pass with it. One that takes far longer than before fails."""
        path = self.folder / mutant.file
        code, changed = path.read_text(), path.stat().st_mtime
        self.tries += 1
        try:
            path.write_text(mutant.code)
            # Compiled code is that of a size and a second, both of which the change may have kept.
            os.utime(path, (changed, changed + self.tries))
            return all(self.passes(tests, area) for tests in area.stages(mutant) if tests)
        finally:
            path.write_text(code)
            os.utime(path, (changed, changed))

    def passes(self, tests: Sequence[str], area: Area) -> bool:
        self._tests.write_text("\n".join(tests))
        seconds = _STARTING + _SLOWER * sum(area.seconds.get(file, 1.0) for file in {_file(it) for it in tests})
        skipped = (f"--deselect={test}" for test in area.failed)
        return self._pytest(seconds, "--exitfirst", f"@{self._tests}", *skipped) in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        )

    def measured(self, name: str, tests: str, kept: Path) -> Area:
        """What its tests run and take, found once and kept until a file of the area or of the tests changes."""
        within = [it for it in listed(self.root) if it.startswith((f"{name}/", f"{tests}/"))]
        digest = hashlib.sha256()
        for file in within:
            digest.update(f"{file}\0".encode() + (self.root / file).read_bytes())
        data = kept / f"{name}-{digest.hexdigest()[:16]}.sqlite"
        if not data.with_suffix(".json").exists():
            kept.mkdir(parents=True, exist_ok=True)
            probed = {DATA: str(data), AREA: name, "COVERAGE_CORE": "ctrace"}
            code = self._pytest(3600, "-ptests.mutants.probe", tests, **probed)
            if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
                raise SystemExit(f"{tests}: pytest ended with {code} on an unchanged copy")
        found = json.loads(data.with_suffix(".json").read_text())
        files = [it for it in within if it.startswith(f"{tests}/") and PurePosixPath(it).match("test_*.py")]
        ran = CoverageData(str(data))
        ran.read()
        return Area(ran, files, found["failed"], found["seconds"])

    def _pytest(self, seconds: float, *arguments: str, **environment: str) -> int | None:
        """The exit code; None after so many seconds of CPU, or where it waits for too long."""
        process = psutil.Popen(
            [*_PYTEST, f"--basetemp={self._temporary}", *arguments],
            cwd=self.folder,
            env=os.environ | self._environment | environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + _WAITING * seconds
        while True:
            try:
                return process.wait(1)
            except psutil.TimeoutExpired:
                used = process.cpu_times()
                if used.user + used.system > seconds or time.monotonic() > deadline:
                    for each in [*process.children(recursive=True), process]:
                        each.kill()
                    process.wait()
                    return None


def listed(root: Path) -> list[str]:
    """The files that git knows or would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return sorted(name for name in names.split("\0") if name and ((root / name).is_symlink() or (root / name).exists()))


def _file(test: str) -> str:
    return test.partition("::")[0]


def _beside(file: str, test: str) -> bool:
    return PurePosixPath("tests", file).parent == PurePosixPath(test).parent


def _distance(file: str, test: str) -> tuple[bool, int, str]:
    """Its own test first, then those of its folder, then of the folders above."""
    ours, theirs = PurePosixPath("tests", file).parts, PurePosixPath(test).parts
    apart = next((n for n, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other), len(ours))
    return PurePosixPath(test).name != f"test_{PurePosixPath(file).name}", -apart, test
