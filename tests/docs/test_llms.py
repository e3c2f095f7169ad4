"""`llms.txt`: each of its commands runs, in its order, and each page that it names exists."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.pages import site

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "llms.txt").read_text()
COMMANDS = [
    line.partition("  #")[0].strip() for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
]  # fmt: skip
TAKES_LONG = [command for command in COMMANDS if command.startswith(("gpucluster sandbox", "gpucluster judge"))]
FINDINGS = {
    "gpucluster guardrails check plan.json --format json",  # a first spec has no labels and no budget of its owner yet
    "gpucluster judge plan.json",
}


def run(command: str, folder: Path) -> int:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, cwd=folder, shell=True, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert done.returncode in ((0, 1) if command in FINDINGS else (0,)), f"{command}\n{done.stdout}\n{done.stderr}"
    return done.returncode


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "examples/acceptance/p5-default-two-nodes.log", tmp_path / "all-reduce.log")
    return tmp_path


def test_each_quick_command_runs(folder: Path) -> None:
    shutil.copy(ROOT / "tests/gpucluster/core/program/recordings/plan.json", folder / "plan.json")
    for command in COMMANDS:
        if command not in TAKES_LONG:
            run(command, folder)


@pytest.mark.slow
def test_each_command_runs_on_the_plan_of_its_own_preview(folder: Path) -> None:
    for command in COMMANDS:
        run(command, folder)


def test_it_has_a_command_for_each_of_its_promises() -> None:
    words = {" ".join(command.split()[1:3]) for command in COMMANDS}

    assert {"check --stack", "quote --gpus", "sandbox pulumi", "cost report", "guardrails check"} <= words


def test_each_page_that_it_names_exists() -> None:
    named = [*re.findall(r"\]\(([^)]+)\)", TEXT), *re.findall(r"\b(?:docs|policies)/[\w./-]+\.md\b", TEXT)]

    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_site_serves_it_at_its_root_with_links_that_lead_to_pages(tmp_path: Path) -> None:
    site.serve_llms(tmp_path)

    served = (tmp_path / "llms.txt").read_text()
    assert served.startswith("# gpucluster\n")
    assert "](docs/start/spec/)" in served
