"""Whether a node runs the driver that was installed on it, with the module for GPUDirect RDMA."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from gpucluster.operate.acceptance.judge import judge
from gpucluster.operate.acceptance.logs.lines import Header, header_line
from gpucluster.operate.acceptance.logs.modules import SCRIPT
from gpucluster.operate.acceptance.logs.read import read_log
from gpucluster.operate.acceptance.verdicts.commitments import Promises

LOADED = {"nvidia": "580.126.20", "nvidia_peermem": "580.126.20"}


@pytest.mark.parametrize(
    ("machine", "versions", "outcome", "why"),
    [
        ("Standard_ND96isr_H100_v5", LOADED, "pass", "node-a: nvidia, nvidia_peermem"),
        ("Standard_ND96isr_H100_v5", {"nvidia": "580.126.20"}, "warn", "node-a: nvidia_peermem is not loaded"),
        ("p5.48xlarge", {"nvidia": "580.126.20"}, "pass", "node-a: nvidia"),
        (
            "Standard_ND96isr_H100_v5",
            {"nvidia": "580.159.04"},
            "fail",
            "the kernel has driver 580.159.04, but programs",
        ),
        ("Standard_ND96isr_H100_v5", {}, "cannot tell", "the module nvidia is not loaded"),
    ],
)
def test_a_foreign_driver_fails_and_infiniband_without_peermem_is_warned_of(
    machine: str, versions: dict[str, str], outcome: str, why: str
) -> None:
    diagnosis = {"DCGM Diagnostic": {"test_categories": []}, "metadata": {"Driver Version Detected": "580.126.20"}}
    header = header_line(Header(nodes={"pod": "node-a"}, machine_type=machine))
    lines = (header, json.dumps({"kernelModules": versions}), json.dumps(diagnosis))
    verdicts = judge([read_log(Path("a.log"), "\n".join(lines))], machine=None, promises=Promises())
    [verdict] = [verdict for verdict in verdicts if verdict.check == "kernel modules"]
    assert (verdict.outcome, verdict.line) == (outcome, 2)
    assert why in verdict.why


def test_the_script_writes_what_is_read(tmp_path: Path) -> None:
    for name, version in LOADED.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "version").write_text(f"{version}\n")
    script = SCRIPT.replace("/sys/module", str(tmp_path))
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"kernelModules": LOADED}
    empty = subprocess.run(["/bin/sh", "-c", SCRIPT.replace("/sys/module", "/none")], capture_output=True, check=True)
    assert json.loads(empty.stdout) == {"kernelModules": {}}
