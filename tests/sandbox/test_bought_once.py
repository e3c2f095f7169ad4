"""Capacity that is reserved costs from the first minute: an answer that is lost must not buy it again."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from gpucluster.sandbox.project.project import Project

pytestmark = [pytest.mark.engine, pytest.mark.checkpoints]

TYPE = "aws:ec2/capacityReservation:CapacityReservation"
PROGRAM = f"""
    import pulumi

    pulumi.CustomResource("{TYPE}", "held", {{
        "availabilityZone": "us-east-1a", "instanceCount": 4, "instancePlatform": "Linux/UNIX",
        "instanceType": "p5.48xlarge",
    }})
"""


def _sandbox(root: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gpucluster", "sandbox", *args]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)


@pytest.mark.parametrize("fails", ["timeout", pytest.param("crash", marks=pytest.mark.core)])
@pytest.mark.slow
def test_a_reservation_that_nobody_heard_of_is_adopted_and_bought_once(fails: str, tmp_path: Path) -> None:
    (tmp_path / "stacks").mkdir()
    (tmp_path / "Pulumi.yaml").write_text(
        f"name: small\nruntime: {{name: python, options: {{virtualenv: {sys.prefix}}}}}\n"
        "main: stacks/\nstackConfigDir: stacks/\n"
    )
    (tmp_path / "stacks" / "Pulumi.dev.yaml").write_text("config: {aws:region: us-east-1}\n")
    (tmp_path / "stacks" / "__main__.py").write_text(textwrap.dedent(PROGRAM))
    (tmp_path / "scenario.yaml").write_text(f"operations: [{{type: '{TYPE}', times: 1, fails: {fails}}}]\n")
    up = ("pulumi", "up", "--yes", "--skip-preview", "--stack", "dev")
    first = _sandbox(tmp_path, "--scenario", "scenario.yaml", *up)
    assert first.returncode == 1
    assert "What this means: held: " in first.stderr
    assert "gpucluster sandbox recover" in first.stderr
    assert "adopt   aws:ec2/capacityReservation:CapacityReservation held" in _sandbox(tmp_path, "recover").stdout
    second = _sandbox(tmp_path, *up)
    assert second.returncode == 0, second.stdout + second.stderr
    assert [entry.type for entry in Project(tmp_path / "Pulumi.yaml").store.existing()] == [TYPE]
