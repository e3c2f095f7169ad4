"""Previews of the trial stack: bare, costed, costed and policy-checked, and with a hundred times the nodes."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SANDBOX = Path(sys.executable).parent / "sandbox"
RUNS = 7


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bare = _project(Path(folder) / "bare")
        shutil.copy(ROOT / "benchmarks/bare_stack.py", bare / "stacks/__main__.py")
        costed = _project(Path(folder) / "costed")
        large = _project(Path(folder) / "large")
        spec = large / "stacks/specs/trial.yaml"
        spec.write_text(
            spec.read_text().replace("nodes: 4 ", "nodes: 400 ").replace("on_exceed: fail", "on_exceed: warn")
        )
        cases = {
            "bare": (bare, ()),
            "costed": (costed, ()),
            "costed + policies": (costed, ("--policy-pack", "policies")),
            "costed, 400 nodes": (large, ()),
        }
        for project, extra in cases.values():
            _preview(project, extra)
        seconds: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(RUNS):
            for name, (project, extra) in cases.items():
                seconds[name].append(_preview(project, extra))
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    print(f"Preview of the trial stack, median of {RUNS} interleaved runs")
    for name, median in medians.items():
        print(f"  {name:<20} {median:6.2f} s   {min(seconds[name]):.2f} to {max(seconds[name]):.2f}")
    for name, of, bar in (
        ("costed", "bare", "1.05"),
        ("costed + policies", "bare", "1.30"),
        ("costed, 400 nodes", "costed", "1.05"),
    ):
        print(f"  {name} / {of}: {medians[name] / medians[of]:.3f}   (bar {bar})")


def _project(path: Path) -> Path:
    path.mkdir()
    shutil.copy(ROOT / "Pulumi.yaml", path)
    for name in ("stacks", "policies"):
        shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (path / ".venv").symlink_to(ROOT / ".venv")
    return path


def _preview(project: Path, extra: tuple[str, ...]) -> float:
    started = time.perf_counter()
    done = subprocess.run(
        [str(SANDBOX), "pulumi", "preview", "--stack", "aws-trial", *extra],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return time.perf_counter() - started
