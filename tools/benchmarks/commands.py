"""Whole commands: the first preview of a clone, the check of a pull request, a quote, and a live cluster.

A clone, a check and a live cluster take minutes, the build of its programs more: they have few runs, and
bars with a margin.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.processes import running_for
from tools.benchmarks.harness import GPUCLUSTER, ROOT, RUNS, Bar, copied, timed

STACKS = ("aws-trial", "azure-trial", "gcp-trial")
_CHECKS = 3
JOB = ROOT / "examples" / "jobs" / "pytorch.yaml"
_GIB = 1024**3
_PROGRAMS = (GPUCLUSTER, "sandbox", "kubernetes", "--live")
_QUOTE = (GPUCLUSTER, "quote", "--gpus", "64", "--for", "30d", "--quiet")


def bars() -> list[Bar]:
    """Every bar of this file."""
    return [*quote_bars(), *check_bars(), *live_bars(), *clone_bars(), *build_bars()]


def clone_bars() -> list[Bar]:
    """Seconds from the end of the clone to the end of `make preview`, by the README's one command.

    The engine is already installed. Uncommitted changes are not measured. One run: it installs everything.
    """
    subprocess.run([GPUCLUSTER, "sandbox", "engine"], check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        seconds, output = timed(["make", "preview"], clone)
    assert "Total per month" in output
    return [Bar("first costed preview from a fresh clone, 1 run", seconds, 60, "s")]


def check_bars() -> list[Bar]:
    """The check of a pull request with three stacks, which run concurrently, against that with one.

    The working tree against its own last commit; interleaved, so that a busy machine slows all cases alike.
    """
    one, three = zip(*((_check(STACKS[:1]), _check(STACKS)) for _ in range(_CHECKS)), strict=True)
    ratio = statistics.median(three) / statistics.median(one)
    return [Bar(f"pr-check of 3 stacks / of {STACKS[0]}, {_CHECKS} runs", ratio, 1.8)]


def _check(stacks: tuple[str, ...]) -> float:
    named = (arg for stack in stacks for arg in ("--stack", stack))
    return timed([GPUCLUSTER, "guardrails", "pr-check", "--base", "HEAD", *named], ROOT)[0]


def quote_bars() -> list[Bar]:
    """Time of a question about 64 GPUs in every place, once its clusters are declared: the first run declares them."""
    _quote()
    return [Bar("64 GPUs quoted in every place", statistics.median(_quote() for _ in range(RUNS)), 2, "s")]


def _quote() -> float:
    return _cpu_seconds(_QUOTE)


def _cpu_seconds(command: Sequence[str | Path], **variables: str) -> float:
    """CPU seconds, so that other processes do not count. variables: of the environment, besides this one's."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **variables})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def build_bars() -> list[Bar]:
    """The programs of live clusters from empty caches, apart from downloaded modules: CPU minutes, and a start with all
    programs there, which only verifies them.
    """
    with tempfile.TemporaryDirectory() as folder:
        caches = {"GPUCLUSTER_CACHE": folder, "GOCACHE": f"{folder}/objects"}
        first = _cpu_seconds(_PROGRAMS, **caches)
        again = _cpu_seconds(_PROGRAMS, **caches)
    return [
        Bar("all programs of live clusters, built from nothing, 1 run", first / 60, 40, "m"),
        Bar("the same, once they are built", again, 10, "s"),
    ]


def live_bars(stack: str = "aws-trial") -> list[Bar]:
    """A live cluster from stopped: seconds to the first running job, and GiB of its server, etcd and controllers.

    One run: it builds a whole stack. Objects are kept from an earlier start, as after `gpucluster sandbox stop`.
    """
    subprocess.run(_PROGRAMS, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        project = copied(Path(folder))
        _run(project, "--kubernetes", "live", "pulumi", "up", "--yes", "--skip-preview", "--stack", stack)
        try:
            _run(project, "stop", "--stack", stack)
            started = time.perf_counter()
            _run(project, "kubectl", "create", f"--filename={JOB}")
            while not _runs(project):
                time.sleep(0.5)
            seconds = time.perf_counter() - started
            gib = _memory(project) / _GIB
        finally:
            _run(project, "stop", "--stack", stack)
    return [
        Bar(f"live cluster of {stack}: start to first running job, 1 run", seconds, 60, "s"),
        Bar(f"live cluster of {stack}: memory", gib, 2, "G"),
    ]


def _run(project: Path, *args: str) -> str:
    return timed([GPUCLUSTER, "sandbox", *args], project)[1]


def _runs(project: Path) -> bool:
    pods: list[dict[str, Any]] = json.loads(
        _run(project, "kubectl", "get", "pods", "--namespace=training", "--output=json")
    )["items"]
    return len(pods) == 2 and all(pod["status"].get("phase") == "Running" for pod in pods)


def _memory(project: Path) -> int:
    """Bytes of every process of the cluster; shared memory counts for each process."""
    total = 0
    for process in running_for(project):
        with suppress(psutil.Error):
            total += process.memory_info().rss
    return total
