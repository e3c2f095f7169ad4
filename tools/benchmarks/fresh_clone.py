"""The first costed preview from a fresh clone, by the README's one command; the engine is already installed.

One run: it installs everything, and its bar has a margin.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tools.benchmarks.bars import Bar

ROOT = Path(__file__).parents[2]


def bars() -> list[Bar]:
    """Seconds from the end of the clone to the end of `make preview`. Uncommitted changes are not measured."""
    subprocess.run([Path(sys.executable).parent / "gpucluster", "sandbox", "engine"], check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        started = time.perf_counter()
        done = subprocess.run(["make", "preview"], cwd=clone, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - started
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    assert "Total per month" in done.stdout
    return [Bar("first costed preview from a fresh clone, 1 run", seconds, 60, "s")]
