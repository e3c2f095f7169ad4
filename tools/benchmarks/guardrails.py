"""Time of the rules: `gpucluster guardrails check` on a large state, and time added to an empty policy pack.

The bars: a state of 10,000 resources in at most 2 s, from the command's start to its end; 40 resources in at most
0.15 s more than a pack without rules, including start and answers. Both in CPU seconds, which other load
on the machine does not increase.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import grpc
import psutil
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc

from tools.benchmarks.cost_plan import LARGE, state
from tools.benchmarks.harness import ROOT, RUNS, Bar, report

FEW = 40

_EMPTY = """
from pulumi_policy import EnforcementLevel, PolicyPack, StackValidationPolicy
nothing = StackValidationPolicy("nothing", "no rule", lambda args, report: None, EnforcementLevel.ADVISORY)
PolicyPack(name="empty", policies=[nothing])
"""


def bars() -> list[Bar]:
    """Medians of interleaved rounds."""
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder) / "empty"
        empty.mkdir()
        (empty / "PulumiPolicy.yaml").write_text((ROOT / "policies/PulumiPolicy.yaml").read_text())
        (empty / "__main__.py").write_text(_EMPTY)
        large = Path(folder) / "state.json"
        large.write_text(state(LARGE))
        _served(ROOT / "policies")  # compiles, a one-time cost for users
        rounds = [(_check(large), _served(ROOT / "policies"), _served(empty)) for _ in range(RUNS)]
    check, pack, nothing = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"policy pack, {FEW} resources: ours {pack:.3f} s, empty {nothing:.3f} s")
    added = statistics.median(pack - nothing for _, pack, nothing in rounds)
    return [
        Bar(f"gpucluster guardrails check, {LARGE:,} resources", check, 2.0, "s"),
        Bar(f"our rules, added to an empty pack at {FEW} resources", added, 0.15, "s"),
    ]


def _check(file: Path) -> float:
    """CPU seconds of the command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [str(Path(sys.executable).parent / "gpucluster"), "guardrails", "check", str(file)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False, env=_environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _environment() -> dict[str, str]:
    """Makes our packages importable from any folder, and keeps compiled files."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(ROOT)}


def _served(pack: Path) -> float:
    """CPU seconds of a pack from its start to its last answer, with the engine's requests."""
    command = [sys.executable, "-u", "-m", "pulumi.policy", "127.0.0.1:0", str(pack)]
    with subprocess.Popen(command, cwd=pack, stdout=subprocess.PIPE, text=True, env=_environment()) as served:
        try:
            assert served.stdout is not None
            stub = analyzer_pb2_grpc.AnalyzerStub(grpc.insecure_channel(f"127.0.0.1:{int(served.stdout.readline())}"))
            stack = analyzer_pb2.AnalyzeStackRequest()
            for record in json.loads(state(FEW))["deployment"]["resources"]:
                one = analyzer_pb2.AnalyzeRequest(
                    type=record["type"], urn=record["urn"], name=record["urn"].rpartition("::")[2]
                )
                one.properties.update(record.get("inputs", {}))
                stub.Analyze(one)
                sent = stack.resources.add(type=one.type, urn=one.urn, name=one.name, parent=record["parent"])
                sent.properties.CopyFrom(one.properties)
            stub.AnalyzeStack(stack)
            spent = psutil.Process(served.pid).cpu_times()
            return spent.user + spent.system
        finally:
            served.kill()


if __name__ == "__main__":
    sys.exit(report(bars()))
