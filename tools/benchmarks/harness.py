"""One measured number and its limit, and a copy of the project to measure in."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
GPUCLUSTER: Final = Path(sys.executable).parent / "gpucluster"

RUNS = 9
"""Number of runs for every median; they are interleaved, so that a busy machine slows all cases alike."""


@dataclass(frozen=True)
class Bar:
    """what: the case, and its baseline. found, most: a ratio, or seconds (unit "s"), minutes ("m"), or a count."""

    what: str
    found: float
    most: float
    unit: str = "x"

    @property
    def kept(self) -> bool:
        return self.found <= self.most


def report(bars: list[Bar]) -> int:
    """Print every bar; 1 if one is missed, else 0."""
    print(f"{'':<66} {'found':>9}   {'bar':>9}")
    for bar in bars:
        mark = "kept" if bar.kept else "MISSED"
        print(f"{bar.what:<66} {bar.found:>7.3f} {bar.unit:<1} <= {bar.most:>6g} {bar.unit:<1}  {mark}")
    missed = sum(not bar.kept for bar in bars)
    print(f"{len(bars) - missed} of {len(bars)} bars kept")
    return 1 if missed else 0


def copied(folder: Path) -> Path:
    """The folder, created if missing."""
    folder.mkdir(exist_ok=True)
    shutil.copy(ROOT / "Pulumi.yaml", folder)
    for part in ("stacks", "policies"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / ".venv").symlink_to(ROOT / ".venv")
    return folder


def timed(command: Sequence[str | Path], folder: Path) -> tuple[float, str]:
    """Seconds of a command, and its output. Ends the program if the command fails."""
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return seconds, done.stdout
