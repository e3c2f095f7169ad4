"""Pulumi.yaml, with everything that a user may write into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.core.text.project_file import ProjectFile, read_project
from gpucluster.errors import InputError


def read(folder: Path, text: str) -> ProjectFile:
    (folder / "Pulumi.yaml").write_text(text)
    return read_project(folder / "Pulumi.yaml")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("name: a", ("a", "", "", "", "")),
        ("name: a.b-c_1\nruntime: yaml\nmain: src/\nstackConfigDir: stacks", ("a.b-c_1", "src/", "stacks", "yaml", "")),
        ("{name: a, runtime: {name: python, options: {virtualenv: .venv}}}", ("a", "", "", "python", ".venv")),
        ("{name: a, main: null, stackConfigDir: , runtime: {name: go, options: null}}", ("a", "", "", "go", "")),
        ("{name: a, runtime: {name: python, options: {toolchain: uv}}, config: {a: 5}}", ("a", "", "", "python", "")),
    ],
)
def test_a_project_is_read_as_pulumi_reads_it(tmp_path: Path, text: str, found: tuple[str, ...]) -> None:
    name, main, stacks, runtime, virtualenv = found
    assert read(tmp_path, text) == ProjectFile(
        name=name, main=main, stack_folder=stacks, runtime=runtime, virtualenv=virtualenv
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("runtime: python", "name is missing"),
        ("", "name is missing"),
        ("- a", "the file is a list"),
        ("name: 5", "name is 5"),
        ("name: yes", "name is true"),
        ("name: null", "name is null"),
        ("name: ''", "name is ''"),
        ("name: ../a", "name is '../a'"),
        (f"name: {'x' * 101}", "1 to 100 letters"),
        ("{name: a, name: b}", "name is given twice"),
        (f"{{name: a, stackConfigDir: {'x' * 5000}}}", "stackConfigDir is 'xxx"),
        (f"{{name: a, main: {'x/' * 3000}}}", "main is 'x/x"),
        ('{name: a, main: "a\\0b"}', r"main is 'a\x00b'"),
        ("{name: a, runtime: 5}", "runtime is 5"),
        ("{name: a, runtime: {options: {virtualenv: []}}}", "runtime.options.virtualenv is an empty list"),
        ("name: a: b", "line 1"),
    ],
)
def test_a_project_that_pulumi_refuses_is_refused_by_field_and_value(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert caught.value.source == str(tmp_path / "Pulumi.yaml")
    [problem] = caught.value.problems
    assert problem.startswith(said) or said in problem
    assert len(problem) < 200
