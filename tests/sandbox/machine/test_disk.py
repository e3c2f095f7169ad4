"""Whether the sandbox can write, and how it says that it cannot."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpucluster.sandbox.machine import disk
from gpucluster.sandbox.machine.disk import scratch_folder

_NOBODY = 65534


def test_where_there_is_room_nothing_is_in_the_way_of_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    assert disk.obstacle(tmp_path / "a" / "b", needed=1) == ""


def test_too_little_room_is_named_with_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=49_940_000))
    assert disk.obstacle(tmp_path / ".sandbox") == (
        f"the disk of {tmp_path} has 49.9 MB free, and a command needs 50; free space on it, "
        "or copy the project to another disk"
    )


def test_a_read_only_file_system_is_told_from_a_missing_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    tmp_path.chmod(0o555)
    assert disk.obstacle(tmp_path) == (
        f"{tmp_path} is not writable: it belongs to {tmp_path.owner()}, mode 555; run `chmod -R u+rwX {tmp_path}`"
    )
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert disk.obstacle(tmp_path).endswith(f"; run this as {tmp_path.owner()}, or in a copy of your own")
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_RDONLY))
    assert disk.obstacle(tmp_path) == (
        f"{tmp_path} is on a read-only file system; mount it for writing, or copy the project to another disk"
    )


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "the disk of the project, or that of TMP, is full"),
        (OSError(errno.EACCES, "Permission denied", "a/b"), "a/b: Permission denied"),
        (OSError(errno.ENOENT, "No such file or directory", "a/b"), ""),
    ],
    ids=["full", "no right", "another"],
)
def test_an_error_of_the_file_system_is_said_in_one_line(error: OSError, said: str) -> None:
    assert disk.cause(error).partition(";")[0] == said.replace("TMP", tempfile.gettempdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_the_way_out_of_a_folder_that_may_not_be_written_leads_out() -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / ".sandbox"
        folder.mkdir()
        for path in (Path(made), folder):
            os.chown(path, _NOBODY, _NOBODY)
        folder.chmod(0o500)
        child = os.fork()
        if child == 0:
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)
            advice = disk.obstacle(folder, needed=0).split("`")
            followed = len(advice) == 3 and subprocess.run(advice[1].split(), check=False).returncode == 0
            os._exit(0 if followed and disk.obstacle(folder, needed=0) == "" else 1)
        assert os.waitpid(child, 0)[1] == 0


HOLD = (
    "from gpucluster.sandbox.machine.disk import scratch_folder as s\nwith s() as f:\n print(f, flush=True)\n input()"
)


@pytest.fixture
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


@pytest.mark.usefixtures("temporary")
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
