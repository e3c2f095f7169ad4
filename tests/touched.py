"""`python -m tests.touched BASE`: the slow tests of what changed since BASE, by the table in CONTRIBUTING.md."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

import click
import pytest

ROOT = Path(__file__).parents[1]
ALL = "tests"


def table() -> dict[str, list[str]]:
    """Changed file or folder -> folders and files with its slow tests, from the section "Slow tests"."""
    section = (ROOT / "CONTRIBUTING.md").read_text().partition("## Slow tests\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| `")]
    names = [[re.findall(r"`([^`]+)`", cell) for cell in row] for row in rows]
    return {changed: tests for row_changed, tests in names for changed in row_changed}


def needed_by(changed: Iterable[str], groups: Mapping[str, Sequence[str]]) -> list[str]:
    """Where the slow tests of changed files are: of a test its own file, of what tests share its folder, else those of
    the table; all of them for a file that the table does not have.
    """
    found: set[str] = set()
    for path in map(PurePosixPath, changed):
        if path.parts[0] == ALL:
            is_test = path.name.startswith("test_") and path.suffix == ".py"
            found.add(str(path if is_test else path.parent))
            continue
        rows = [tests for folder, tests in groups.items() if path.is_relative_to(folder)]
        found.update(*rows) if rows else found.add(ALL)
    return sorted(
        path for path in found if (ROOT / path).exists() and not found & {*map(str, PurePosixPath(path).parents)}
    )


def changed_since(base: str) -> list[str]:
    """Files that differ from where this branch left `base`, with those not yet committed."""
    left = _git("merge-base", base, "HEAD")
    if not left:
        raise click.UsageError(f"{base} is no branch or commit that this branch comes from")
    return [*_git("diff", "--name-only", "--no-renames", left[0]), *_git("ls-files", "--others", "--exclude-standard")]


def _git(*words: str) -> list[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.splitlines()


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("base")
@click.argument("options", nargs=-1)
def touched(base: str, options: tuple[str, ...]) -> None:
    """Run them. OPTIONS: of pytest."""
    paths = needed_by(changed_since(base), table())
    if not paths:
        print("Nothing changed that has slow tests.")
        return
    print("Slow tests of:", *paths, flush=True)
    code = pytest.main(["-m", "slow", *options, *paths])
    sys.exit(0 if code == pytest.ExitCode.NO_TESTS_COLLECTED else code)


if __name__ == "__main__":
    touched()
