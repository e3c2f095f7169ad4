"""How the benchmarks are started: what they print of themselves, and what they refuse."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tools.benchmarks.foreign.__main__ import _first_error, _with_own_environment

ROOT = Path(__file__).parents[3]


def _run(*command: str) -> tuple[int, str]:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def _python(*words: str) -> tuple[int, str]:
    return _run(sys.executable, "-m", *words)


def test_the_benchmarks_say_how_they_are_started_and_refuse_what_they_do_not_measure() -> None:
    code, said = _python("tools.benchmarks", "--help")
    assert (code, said.partition("\n")[0]) == (0, "usage: python -m tools.benchmarks [-h] [STACK ...]")
    code, said = _python("tools.benchmarks", "aws-trail", "gcp-trial")
    problem = "error: no stack 'aws-trail' is measured; allowed: aws-trial, azure-trial, gcp-trial\n"
    assert (code, said.endswith(problem)) == (2, True)


def test_programs_of_others_need_a_checkout() -> None:
    code, said = _run("make", "foreign")
    assert (code, "name the folder: make foreign CHECKOUT=FOLDER" in said) == (2, True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """With one program, which asks for what nobody has."""
    program = tmp_path / "checkout" / "aws-py-one"
    program.mkdir(parents=True)
    (program / "Pulumi.yaml").write_text("name: one\nruntime: python\n")
    (program / "__main__.py").write_text("")
    (program / "requirements.txt").write_text("./nowhere\n")
    (tmp_path / "empty").mkdir()
    return program.parent


@pytest.fixture
def work(checkout: Path) -> Path:
    """What was kept when the program previewed, and one of another checkout with it."""
    folder = checkout.parent / "work"
    _python("tools.benchmarks.foreign", str(checkout), "--work", str(folder))
    results = folder / "results.json"
    (one,) = json.loads(results.read_text())
    good = {**one, "why": "", "seconds": 1.5}
    results.write_text(json.dumps([good, {**good, "program": "aws-py-two", "why": "error: of another checkout"}]))
    return folder


def test_a_project_is_read_as_pulumi_reads_it(tmp_path: Path) -> None:
    (project := tmp_path / "Pulumi.yaml").write_text(
        "name: one\nruntime: nodejs\nconfig: {a: off, b: true, c: 5, d: no}\n"
    )
    _with_own_environment(project)
    environment = {"name": "python", "options": {"virtualenv": "venv"}}
    config = {"a": "off", "b": True, "c": 5, "d": "no"}
    assert yaml.safe_load(project.read_text()) == {"name": "one", "runtime": environment, "config": config}


def test_a_folder_without_programs_is_refused_whatever_was_kept(checkout: Path, work: Path) -> None:
    for folder in ("none", "empty"):
        code, said = _python("tools.benchmarks.foreign", str(checkout.parent / folder), "--work", str(work))
        assert (code, f"{folder} has no Pulumi program in Python; name a checkout" in said) == (2, True)
    code, said = _python("tools.benchmarks.foreign", str(checkout), "--work", str(work), "--only", "gcp")
    assert (code, "has no Pulumi program in Python with 'gcp' in its name" in said) == (2, True)


def test_a_result_is_kept_for_the_program_that_was_tried_and_no_other_of_its_name(checkout: Path, work: Path) -> None:
    code, said = _python("tools.benchmarks.foreign", str(checkout), "--work", str(work))
    assert (code, said.splitlines()[0]) == (0, "yes    1.5 s aws-py-one  ")
    assert "aws-py-two" not in said
    (checkout / "aws-py-one" / "__main__.py").write_text("import pulumi\n")
    code, said = _python("tools.benchmarks.foreign", str(checkout), "--work", str(work))
    assert (code, "aws-py-one its requirements cannot be installed" in said) == (1, True)


def test_the_first_error_of_a_program_is_its_reason() -> None:
    text = "Engine 3.259.0\n  error: The program failed:\n  azure.core.exceptions.HttpError: (401) no token\n  done\n"
    assert _first_error(text) == "azure.core.exceptions.HttpError: (401) no token"
