"""Which locks are those of dead processes."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gpucluster.sandbox.project.project import Project
from gpucluster.sandbox.state.locks import locks

NOW = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.123456789Z")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Pulumi.yaml").write_text("name: small\n")
    folder = tmp_path / ".sandbox/state/.pulumi/locks/organization/small/dev"
    folder.mkdir(parents=True)
    return folder


def _dead(folder: Path, text: str) -> bool:
    (folder / "1.json").write_text(text)
    (lock,) = locks(Project(folder.parents[6] / "Pulumi.yaml"), "dev")
    return lock.dead


def _text(pid: int, host: str | None = None, since: str = NOW) -> str:
    content = {"pid": pid, "username": "me", "hostname": host or socket.gethostname(), "timestamp": since}
    return json.dumps(content)


def _ended() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_a_lock_is_dead_with_its_process(folder: Path) -> None:
    assert _dead(folder, _text(_ended()))
    assert not _dead(folder, _text(os.getpid()))


def test_a_process_that_began_after_the_lock_only_has_its_number(folder: Path) -> None:
    assert _dead(folder, _text(os.getpid(), since="2020-01-01T00:00:00Z"))


def test_of_a_process_on_another_machine_nothing_is_known(folder: Path) -> None:
    assert not _dead(folder, _text(_ended(), host="elsewhere"))


@pytest.mark.parametrize("text", ["", '{"pid": 1', "{}"])
def test_a_lock_that_was_cut_short_is_dead(folder: Path, text: str) -> None:
    assert _dead(folder, text)


def test_a_removed_lock_takes_its_attributes_along(folder: Path) -> None:
    (folder / "1.json").write_text(_text(1))
    (folder / "1.json.attrs").write_text("{}")
    (lock,) = locks(Project(folder.parents[6] / "Pulumi.yaml"), "dev")
    lock.remove()
    assert list(folder.iterdir()) == []
