"""The temporary folder of a run."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gpucluster.sandbox.machine.run_folder import scratch_folder

HOLD = (
    "from gpucluster.sandbox.machine.run_folder import scratch_folder as s\n"
    "with s() as f:\n print(f, flush=True)\n input()"
)


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def _other() -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    return process, Path(process.stdout.readline().strip())


def test_a_scratch_folder_is_gone_afterwards(temporary: Path) -> None:
    with scratch_folder() as folder:
        assert folder.name.startswith("sandbox-")
        assert folder.is_dir()
    assert list(temporary.iterdir()) == []


def test_what_a_killed_run_left_goes_with_the_next_run_and_what_a_living_one_holds_stays() -> None:
    dead, left = _other()
    living, held = _other()
    try:
        dead.kill()
        dead.wait()
        assert left.is_dir()
        with scratch_folder():
            assert not left.exists()
            assert held.is_dir()
    finally:
        living.communicate("\n")


def test_a_folder_of_another_kind_stays(temporary: Path) -> None:
    (temporary / "sandbox-notes").mkdir()
    with scratch_folder():
        pass
    assert [path.name for path in temporary.iterdir()] == ["sandbox-notes"]
