"""`gpucluster leftovers` in a copy of the project's stacks."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gpucluster.cli import main

ROOT = Path(__file__).parents[5]
Run = Callable[..., tuple[int, str]]
Left = Callable[..., tuple[int, list[dict[str, Any]]]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """`run(stack)`: exit code and text. The stacks on AWS are in moto's account."""
    shutil.copy(ROOT / "Pulumi.yaml", tmp_path)
    shutil.copytree(ROOT / "stacks", tmp_path / "stacks", ignore=shutil.ignore_patterns("__pycache__"))
    for file in (tmp_path / "stacks").glob("Pulumi.*.yaml"):
        file.write_text(file.read_text().replace('"000000000000"', '"123456789012"'))
    monkeypatch.chdir(tmp_path)

    def leftovers(stack: str, *more: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["leftovers", "--stack", stack, *more])
        return done.exit_code, done.output

    return leftovers


@pytest.fixture
def left(run: Run) -> Left:
    """`left(stack)`: exit code and what is left, as JSON."""

    def leftovers(stack: str) -> tuple[int, list[dict[str, Any]]]:
        code, text = run(stack, "--format", "json")
        return code, json.loads(text)["left"]

    return leftovers
