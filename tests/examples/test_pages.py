"""The committed pages of the examples are what the program gives, on any terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs/examples"
BIN = Path(sys.executable).parent


def texts(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in sorted(folder.rglob("*.md"))}


def on_a_terminal(columns: int, *command: str) -> str:
    """What a command prints where the terminal says it has so many columns."""
    environment = {**os.environ, "COLUMNS": str(columns), "LINES": "10"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.slow
def test_every_example_has_its_page_and_every_page_is_what_the_program_gives(tmp_path: Path) -> None:
    """`make docs` writes them anew; the diff is what reviewers read as money."""
    written = re.search(r"`make docs` on ([0-9-]+)", (PAGES / "README.md").read_text())
    assert written is not None
    on_a_terminal(30, sys.executable, "-m", "examples.pages", str(tmp_path), "--day", written[1])
    assert texts(tmp_path) == texts(PAGES)


def test_the_preview_in_the_readme_is_that_of_the_trials_page() -> None:
    [printed] = re.findall(
        r"^\$ pulumi preview .*?\n(.*?)\n```$", (PAGES / "aws/trial.md").read_text(), re.DOTALL | re.MULTILINE
    )
    shown = "\n".join(line.removeprefix("    ") for line in (ROOT / "README.md").read_text().splitlines())
    assert printed in shown


def test_the_comparison_in_the_readme_is_part_of_its_page() -> None:
    readme, page = (ROOT / "README.md").read_text(), (PAGES / "comparison.md").read_text()
    [printed] = re.findall(
        r"^```\n +aws-trial +azure-trial +gcp-trial.*?\n\n(.*?)\n```$", readme, re.DOTALL | re.MULTILINE
    )
    assert printed in page
    assert "$/training-GPU-hour" in printed


@pytest.mark.parametrize(
    "command",
    [
        ("guardrails", "list"),
        ("guardrails", "explain", "fabric-traffic-allowed"),
        ("guardrails", "check", "tests/cost/recordings/plan.json"),
        ("cost", "types"),
        ("cluster", "check", "examples/specs/aws/capacity-block.yaml"),
    ],
    ids=" ".join,
)
def test_the_width_of_a_terminal_changes_nothing_that_a_rule_or_a_plan_says(command: tuple[str, ...]) -> None:
    narrow, wide = (on_a_terminal(columns, str(BIN / command[0]), *command[1:]) for columns in (30, 300))
    assert narrow == wide
    assert narrow
