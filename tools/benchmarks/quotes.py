"""Time of a question about 64 GPUs in every place, from the command to the table, once its clusters are declared."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

from tools.benchmarks.bars import RUNS, Bar

_COMMAND = (sys.executable, "-m", "gpucluster", "quote", "--gpus", "64", "--for", "30d", "--quiet")


def _seconds() -> float:
    """CPU seconds, so that other processes do not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(_COMMAND, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def bars() -> list[Bar]:
    """The first run declares missing shapes."""
    _seconds()
    return [Bar("64 GPUs quoted in every place", statistics.median(_seconds() for _ in range(RUNS)), 2, "s")]
