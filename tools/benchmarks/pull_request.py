"""The check of a pull request with three stacks, which run concurrently, against that with one.

Few runs, since each builds whole stacks; interleaved, so that a busy machine slows all cases alike.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from tools.benchmarks.bars import Bar

ROOT = Path(__file__).parents[2]
STACKS = ("aws-trial", "azure-trial", "gcp-trial")
RUNS = 3


def bars() -> list[Bar]:
    """The working tree against its own last commit."""
    one, three = zip(*((_seconds(STACKS[:1]), _seconds(STACKS)) for _ in range(RUNS)), strict=True)
    return [Bar(f"pr-check of 3 stacks / of {STACKS[0]}, {RUNS} runs", median(three) / median(one), 1.8)]


def _seconds(stacks: tuple[str, ...]) -> float:
    command = [str(Path(sys.executable).parent / "gpucluster"), "guardrails", "pr-check", "--base", "HEAD"]
    started = time.perf_counter()
    done = subprocess.run(
        [*command, *(arg for stack in stacks for arg in ("--stack", stack))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - started
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return seconds
