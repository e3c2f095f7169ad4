"""The script of examples/jobs/resume.yaml as a process: it is ended in its midst, and run again."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.waiting import wait_for

JOBS = Path(__file__).parents[2] / "examples/jobs"
STAND_IN = Path(__file__).with_name("stand_in")


def command(folder: Path, steps: int) -> list[str]:
    return [sys.executable, str(JOBS / "resume.py"), f"--checkpoints={folder}", f"--steps={steps}", "--every=10"]


def environment(seconds: float) -> dict[str, str]:
    """seconds: that a step takes."""
    return {**os.environ, "PYTHONPATH": str(STAND_IN), "STEP_SECONDS": str(seconds)}


def run(folder: Path, steps: int) -> list[str]:
    """To the end; the lines of its log."""
    done = subprocess.run(command(folder, steps), env=environment(0), capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def state(folder: Path) -> Mapping[str, Any]:
    return pickle.loads(max(folder.glob("*.pt")).read_bytes())


@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGTERM, 143)])
def test_a_run_that_is_ended_goes_on_from_its_last_checkpoint_and_becomes_what_it_would_have_been(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    folder, whole = tmp_path / "ended", tmp_path / "whole"
    process = subprocess.Popen(command(folder, 10_000), env=environment(0.02), stdout=subprocess.DEVNULL)
    wait_for("a checkpoint", lambda: [*folder.glob("*.pt")], of=process)
    process.send_signal(number)
    assert process.wait() == code
    last = state(folder)["step"]
    assert run(folder, last + 13)[0] == f"starts at step {last} on 1 processes"
    run(whole, last + 13)
    assert state(folder) == state(whole)
    assert state(whole)["step"] == last + 13


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """The checkpoints of a run of 40 steps."""
    run(tmp_path / "whole", 40)
    return tmp_path / "whole"


def test_a_checkpoint_that_cannot_be_read_is_passed_over_for_the_one_before(whole: Path) -> None:
    newest = max(whole.glob("*.pt"))
    before = state(whole)
    newest.write_bytes(newest.read_bytes()[:20])
    assert run(whole, 40)[0] == "starts at step 30 on 1 processes"
    assert state(whole) == before


def test_where_no_checkpoint_can_be_read_nothing_starts_and_nothing_is_deleted(whole: Path) -> None:
    for file in whole.glob("*.pt"):
        file.write_bytes(b"broken")
    done = subprocess.run(command(whole, 60), env=environment(0), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith(f"no checkpoint in {whole} can be read by PyTorch ")
    assert {file.name: file.read_bytes() for file in whole.iterdir()} == dict.fromkeys(
        ("00000030.pt", "00000040.pt"), b"broken"
    )


def test_two_checkpoints_are_kept_and_none_that_is_half_written(whole: Path) -> None:
    assert sorted(path.name for path in whole.iterdir()) == ["00000030.pt", "00000040.pt"]


def test_a_job_starts_the_script_from_its_config_map_with_its_checkpoints_on_the_shared_volume() -> None:
    text = (JOBS / "resume.yaml").read_text()
    trainer = yaml.safe_load(text)["spec"]["trainer"]
    assert (trainer["command"], trainer["args"][:2]) == (
        ["torchrun"],
        ["/code/resume.py", "--checkpoints=/shared/checkpoints/resume"],
    )
    assert "create configmap resume --from-file=resume.py" in text
