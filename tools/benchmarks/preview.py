"""Previews of a trial stack: bare, costed, costed and policy-checked, and with many times the nodes."""

from __future__ import annotations

import re
import shutil
import statistics
import tempfile
from pathlib import Path

from tools.benchmarks.harness import GPUCLUSTER, ROOT, RUNS, Bar, copied, timed

# Nodes of the trial, and of a large cluster; 100, including a spare, are the maximum of a scale set on Azure.
NODES, MANY = 4, 400
FEWER = {"azure-trial": 99}


def bars(stack: str) -> list[Bar]:
    """Medians of the ratios within each round, so that temporary load affects both sides alike."""
    with tempfile.TemporaryDirectory() as folder:
        bare = copied(Path(folder) / "bare")
        shutil.copy(ROOT / "tools/benchmarks/bare_stack.py", bare / "stacks/__main__.py")
        costed = copied(Path(folder) / "costed")
        large = copied(Path(folder) / "large")
        spec = large / "stacks/specs/trial.yaml"
        count = FEWER.get(stack, MANY)
        many = f"{count} nodes"
        spec.write_text(
            spec.read_text()
            .replace(f"nodes: {NODES} ", f"nodes: {count} ")
            .replace("on_exceed: fail", "on_exceed: warn")
        )
        cases = {
            "bare": (bare, ()),
            "costed": (costed, ()),
            "with policies": (costed, ("--policy-pack", "policies")),
            many: (large, ()),
        }
        resources = {name: _resources(_preview(stack, project, extra)[1]) for name, (project, extra) in cases.items()}
        rounds: list[dict[str, float]] = []
        for number in range(RUNS):
            order = list(cases) if number % 2 else list(reversed(cases))
            rounds.append({name: _preview(stack, *cases[name])[0] for name in order})
    for name in cases:
        seconds = [one[name] for one in rounds]
        found = f"{statistics.median(seconds):6.2f} s   {min(seconds):.2f} to {max(seconds):.2f}"
        print(f"{stack}: preview, {name:<14} {found}")

    def ratio(name: str, of: str) -> float:
        return statistics.median(one[name] / one[of] for one in rounds)

    return [
        Bar(f"{stack}: costed preview / bare program", ratio("costed", "bare"), 1.05),
        Bar(f"{stack}: costed, policy-checked preview / bare program", ratio("with policies", "bare"), 1.25),
        Bar(f"{stack}: costed preview, {many} / {NODES} nodes", ratio(many, "costed"), 1.05),
        Bar(f"{stack}: resources, {many} / {NODES} nodes", resources[many] / resources["costed"], 1.0),
    ]


def _resources(plan: str) -> int:
    found = re.search(r"\+ (\d+) to create", plan)
    assert found, plan
    return int(found[1])


def _preview(stack: str, project: Path, extra: tuple[str, ...]) -> tuple[float, str]:
    return timed([GPUCLUSTER, "sandbox", "pulumi", "preview", "--stack", stack, *extra], project)
