"""The workflow that reaps on a schedule."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml
from click.testing import CliRunner

from gpucluster.cli import main
from tests.waiting import LIMIT

ROOT = Path(__file__).parents[5]
FILE = ROOT / "examples/workflows/reap.yml"


def test_a_linter_of_its_security_finds_nothing() -> None:
    zizmor = Path(sys.executable).with_name("zizmor")
    command = [str(zizmor), "--offline", "--no-progress", "--strict-collection", "--color", "never", str(FILE)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_runs_a_command_that_there_is_and_never_two_at_once() -> None:
    found = yaml.safe_load(FILE.read_text())
    [job] = found["jobs"].values()
    [line] = [line for step in job["steps"] for line in step.get("run", "").splitlines() if "gpucluster" in line]
    assert line == ".venv/bin/gpucluster reap --all --yes"
    for option in line.split()[2:]:
        assert option in CliRunner().invoke(main, ["reap", "--help"]).output
    assert found["concurrency"] == {"group": "reap", "cancel-in-progress": False}
