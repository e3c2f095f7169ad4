"""Whose memory is counted, and what may not be left."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.processes import running_for


@pytest.mark.parametrize(
    ("command", "inside"),
    [(["sleep", "60"], "project/logs"), (["tail", "-f", "{project}/logs/log"], "elsewhere")],
    ids=["by where it runs", "by its command line"],
)
def test_a_process_of_a_project_is_found(command: list[str], inside: str, tmp_path: Path) -> None:
    project, other = tmp_path / "project", tmp_path / "project-2"
    for folder in (project / "logs", other, tmp_path / "elsewhere"):
        folder.mkdir(parents=True)
    (project / "logs" / "log").touch()
    words = [word.format(project=project) for word in command]
    with subprocess.Popen(words, cwd=tmp_path / inside) as ours, subprocess.Popen(["sleep", "60"], cwd=other) as theirs:
        try:
            assert [process.pid for process in running_for(project)] == [ours.pid]
        finally:
            ours.kill()
            theirs.kill()
