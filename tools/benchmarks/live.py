"""A live cluster: time from stopped to the first running job, and its memory.

One run: it builds a whole stack. Objects are kept from an earlier start, as after `gpucluster sandbox stop`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from tests.processes import running_for
from tools.benchmarks.bars import Bar
from tools.benchmarks.project import GPUCLUSTER, ROOT, copied

JOB = ROOT / "examples" / "jobs" / "pytorch.yaml"
_GIB = 1024**3


def bars(stack: str = "aws-trial") -> list[Bar]:
    """Seconds to the first running job, and GiB of the server, etcd, all controllers and their supervisors."""
    subprocess.run([GPUCLUSTER, "sandbox", "kubernetes", "--live"], check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        project = copied(Path(folder))
        _run(project, "--kubernetes", "live", "pulumi", "up", "--yes", "--skip-preview", "--stack", stack)
        try:
            _run(project, "stop")
            started = time.perf_counter()
            _run(project, "kubectl", "create", f"--filename={JOB}")
            while not _runs(project):
                time.sleep(0.5)
            seconds = time.perf_counter() - started
            gib = _memory(project) / _GIB
        finally:
            _run(project, "stop")
    return [
        Bar(f"live cluster of {stack}: start to first running job, 1 run", seconds, 60, "s"),
        Bar(f"live cluster of {stack}: memory", gib, 1.5, "G"),
    ]


def _run(project: Path, *args: str) -> str:
    done = subprocess.run([GPUCLUSTER, "sandbox", *args], cwd=project, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


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
