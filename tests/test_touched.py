"""Which slow tests a change needs: the table in CONTRIBUTING.md has every slow test and every folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path, PurePosixPath

from tests.touched import ROOT, changed_since, needed_by, table

GROUPS = {"cost": ["tests/cost", "tests/gpucluster/operate/quote"], "cost/bills": ["tests/cost/bills"], "docs": []}


def _slow_tests() -> set[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n0", "-m", "slow", "tests"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}


def test_every_slow_test_belongs_to_a_folder_and_every_row_has_slow_tests() -> None:
    slow, groups = _slow_tests(), {path for tests in table().values() for path in tests}
    covered = {test for test in slow if groups & {test, *map(str, PurePosixPath(test).parents)}}
    assert slow - covered == set()
    empty = {path for path in groups if not any(PurePosixPath(test).is_relative_to(path) for test in slow)}
    assert empty == set()


def test_every_folder_of_the_repository_is_in_the_table_and_every_row_is_there() -> None:
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    folders = {path.split("/")[0] for path in listed.split() if "/" in path} - {"tests"}
    assert folders - {path.split("/")[0] for path in table()} == set()
    assert {path for path in table() if not (ROOT / path).exists()} == set()


def test_a_change_needs_the_tests_of_every_row_that_it_is_in() -> None:
    groups = {**GROUPS, "cost/bills": ["tests/cost/bills"]}
    changed = ["cost/bills/read.py", "docs/reference/style.md"]
    assert needed_by(changed, groups) == ["tests/cost", "tests/gpucluster/operate/quote"]


def test_what_the_table_does_not_have_needs_every_slow_test() -> None:
    assert needed_by(["requirements.lock", "cost/pricing/model.py"], GROUPS) == ["tests"]


def test_a_changed_test_needs_itself_and_what_tests_share_needs_its_folder() -> None:
    changed = [
        "tests/gpucluster/operate/quote/test_page.py",
        "tests/policies/conftest.py",
        "tests/gpucluster/operate/quote/removed/test_it.py",
    ]
    assert needed_by(changed, GROUPS) == ["tests/gpucluster/operate/quote/test_page.py", "tests/policies"]


def test_a_change_is_what_differs_from_where_the_branch_began_committed_or_not(tmp_path: Path, monkeypatch) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True)

    monkeypatch.setattr("tests.touched.ROOT", tmp_path)
    git("init", "--quiet", "--initial-branch=main")
    (tmp_path / "kept.py").touch()
    git("add", ".")
    git("commit", "--quiet", "--message=first")
    git("switch", "--quiet", "--create=work")
    (tmp_path / "committed.py").touch()
    git("add", ".")
    git("commit", "--quiet", "--message=second")
    (tmp_path / "kept.py").write_text("changed")
    (tmp_path / "new.py").touch()
    assert changed_since("main") == ["committed.py", "kept.py", "new.py"]
