"""Programs from Go modules, built once and kept."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.engine.go_build import go_program

MAIN = 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("one") }\n'


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GPUCLUSTER_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "hello"
    folder.mkdir()
    (folder / "go.mod").write_text("module hello\n\ngo 1.21\n")
    (folder / "main.go").write_text(MAIN)
    return folder


def test_a_program_is_built_once_and_anew_when_its_source_changes(source: Path) -> None:
    said: list[str] = []

    first = go_program(source, "hello", said.append)
    go_program(source, "hello", said.append)
    (source / "main.go").write_text(MAIN.replace("one", "two"))
    second = go_program(source, "hello", said.append)

    answers = [subprocess.run([path], capture_output=True, text=True, check=True).stdout for path in (first, second)]
    assert (answers, sum(line.startswith("Built hello in ") for line in said)) == (["one\n", "two\n"], 2)


def test_a_program_that_cannot_be_built_says_why_and_leaves_nothing(source: Path, tmp_path: Path) -> None:
    (source / "main.go").write_text("package main\n\nfunc main() { undefined() }\n")

    with pytest.raises(EngineError, match=r"hello could not be built: [\s\S]*undefined: undefined"):
        go_program(source, "hello", print)

    assert [path.name for path in (tmp_path / "cache/hello").iterdir() if path.suffix != ".lock"] == []
