"""Many stacks at once: 20 first updates, four at a time. A large cluster: a preview of 400 nodes and 50 pools."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from tools.benchmarks.harness import GPUCLUSTER, ROOT, Bar, copied

STACKS, AT_ONCE, NODES, POOLS, ROUNDS = 20, 4, 400, 50, 3
_MB: Final = 1_000_000
_PROGRAM: Final = """
from pulumi import CustomResource

vpc = CustomResource("aws:ec2/vpc:Vpc", "net", {"cidrBlock": "10.0.0.0/16"})
for at in range(10):
    CustomResource("aws:ec2/subnet:Subnet", f"s{at}", {"vpcId": vpc.id, "cidrBlock": f"10.0.{at}.0/24"})
"""
_PROJECT: Final = "name: many\nruntime:\n  name: python\n  options:\n    virtualenv: .venv\n"


def bars(stack: str = "aws-trial") -> list[Bar]:
    """Number of failed first updates, and cost of the large cluster; its runs and the trial's are interleaved."""
    with tempfile.TemporaryDirectory() as folder:
        failed = _failures(Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        trial, large = (copied(Path(folder) / name) for name in ("trial", "large"))
        spec = large / "stacks/specs/trial.yaml"
        pools = "".join(f"    dev{at}:\n      max_gpus: 8\n      expected_gpus: 2\n" for at in range(POOLS))
        text = re.sub(r"nodes: \d+ ", f"nodes: {NODES} ", spec.read_text()).replace(
            "on_exceed: fail", "on_exceed: warn"
        )
        spec.write_text(re.sub(r"    dev:\n(      .*\n)*", pools, text))
        rounds = [(_preview(trial, stack), _preview(large, stack)) for _ in range(ROUNDS)]
    for name, at in ((f"{stack} as it is", 0), (f"{stack}, {NODES} nodes, {POOLS} pools", 1)):
        seconds, memory = (statistics.median(each[at][what] for each in rounds) for what in (0, 1))
        print(f"preview of {name:<40} {seconds:6.2f} s of CPU   {memory / _MB:,.0f} MB, all processes together")
    ratio = statistics.median(big[0] / small[0] for small, big in rounds)
    return [
        Bar(f"{STACKS} first updates, {AT_ONCE} at a time: failed", failed, 0, " "),
        Bar(f"{stack}: preview, {NODES} nodes and {POOLS} pools / as it is", ratio, 1.5),
    ]


def _failures(folder: Path) -> int:
    """Failed updates of stacks of one fresh project."""
    (folder / "Pulumi.yaml").write_text(_PROJECT)
    (folder / "__main__.py").write_text(_PROGRAM)
    (folder / ".venv").symlink_to(ROOT / ".venv")
    names = [f"stack{at}" for at in range(STACKS)]
    for name in names:
        (folder / f"Pulumi.{name}.yaml").write_text("config:\n  aws:region: us-east-1\n")

    def up(name: str) -> subprocess.CompletedProcess[str]:
        return _run(folder, "up", "--yes", "--skip-preview", "--stack", name)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        failed = [done.stdout + done.stderr for done in pool.map(up, names) if done.returncode]
    print(*failed, sep="\n", end="")
    return len(failed)


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(GPUCLUSTER), "sandbox", "pulumi", *command], cwd=folder, capture_output=True, text=True, check=False
    )


def _preview(project: Path, stack: str) -> tuple[float, int]:
    """CPU seconds, and peak memory of all its processes together, sampled 20 times a second."""
    command: Sequence[str] = (str(GPUCLUSTER), "sandbox", "pulumi", "preview", "--stack", stack)
    most, spent = 0, dict[int, float]()
    with (
        subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run,
        ThreadPoolExecutor(1) as reader,
    ):
        output = reader.submit(run.communicate)
        while not output.done():
            most = max(most, sum(_looked_at(run.pid, spent)))
            time.sleep(0.05)
    if run.returncode:
        sys.exit(output.result()[0])
    return sum(spent.values()), most


def _looked_at(pid: int, spent: dict[int, float]) -> Iterator[int]:
    """Current bytes of a process and each descendant; shared memory counts for each process.

    spent: receives the CPU seconds of each.
    """
    with suppress(psutil.Error):
        run = psutil.Process(pid)
        for process in [run, *run.children(recursive=True)]:
            with suppress(psutil.Error):
                spent[process.pid] = sum(process.cpu_times()[:2])
                yield process.memory_info().rss
