"""The committed example of a pull request's comment is what the command gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.pages.pull_request import SEEDS

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/reference/pull-request-example.md"


def without_lines(text: str) -> str:
    """The page without line numbers, which every edit of a component moves."""
    return re.sub(r"(\.py):\d+", r"\1", text)


def test_every_seeded_change_finds_its_text() -> None:
    assert [seed for seed in SEEDS if seed.old not in (ROOT / seed.file).read_text(encoding="utf-8")] == []


@pytest.mark.engine
@pytest.mark.slow
def test_the_example_names_every_seeded_change_with_its_money(tmp_path: Path) -> None:
    """Golden: `UPDATE_GOLDEN=1 pytest` writes it anew; the diff is what reviewers read."""
    made = PAGE if os.environ.get("UPDATE_GOLDEN") else tmp_path / "reference" / PAGE.name
    command = [sys.executable, "-m", "tools.pages", PAGE.stem, "--into", str(made.parents[1])]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=540, check=False)
    assert done.returncode == 0, done.stderr
    assert without_lines(made.read_text(encoding="utf-8")) == without_lines(PAGE.read_text(encoding="utf-8"))
