"""Builds Prometheus' own promtool once for each version of it, in the cache that engines are kept in.

`python -m tests.promtool.promtool` builds it ahead of the tests.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from filelock import FileLock

from sandbox.engine.cache import cache_folder
from sandbox.engine.go_environment import go_environment
from sandbox.engine.go_toolchain import find_go
from sandbox.engine.progress import Say, heartbeat

SOURCE = Path(__file__).parent
FILES = ("go.mod", "go.sum")


def promtool(say: Say) -> Path:
    """The program, made where there is none yet: about two minutes on 2 cores the first time."""
    version = hashlib.sha256(b"".join((SOURCE / name).read_bytes() for name in FILES)).hexdigest()[:16]
    binary = cache_folder() / "promtool" / version / "promtool"
    binary.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(binary.with_suffix(".lock")):
        if not binary.exists():
            _build(binary, say)
    return binary


def _build(binary: Path, say: Say) -> None:
    go = find_go(cache_folder(), say)
    with tempfile.TemporaryDirectory(dir=binary.parent) as folder:
        for name in FILES:
            shutil.copy(SOURCE / name, folder)
        made = Path(folder, "promtool")
        say("Building promtool, to check alerts in tests: about 2 minutes on 2 cores, once.")
        command = [
            *(str(go), "build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w"),
            # Alerts discover nothing, and the clouds' SDKs are most of the program.
            *("-tags", "remove_all_sd", "-o", str(made), "github.com/prometheus/prometheus/cmd/promtool"),
        ]
        with heartbeat(say, "Building"):
            done = subprocess.run(
                command, cwd=folder, env=go_environment(), capture_output=True, text=True, check=False
            )
        if done.returncode != 0:
            raise RuntimeError(f"go build failed:\n{done.stderr[-2000:]}")
        made.rename(binary)


if __name__ == "__main__":
    promtool(lambda line: print(line, file=sys.stderr, flush=True))
