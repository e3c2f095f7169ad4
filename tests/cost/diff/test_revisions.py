"""Revisions of git as sides of a change."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.says import Says

PLAN = ("--run", f"{sys.executable} program.py")
Run = Callable[..., subprocess.CompletedProcess[str]]


def _git(*arguments: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    return subprocess.run(["git", *who, *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repository(recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose program prints the recorded plan, at the tag `old`, and the update's at its head."""
    folder = tmp_path / "repository"
    (folder / "stacks").mkdir(parents=True)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(folder)
    _git("init", "--quiet", "--initial-branch", "main")
    (folder / "words.py").write_text('SAID = "of the tree"\n')
    program = (
        "import pathlib, sys, words\nprint(words.SAID, file=sys.stderr)\nprint(pathlib.Path('plan.json').read_text())\n"
    )
    (folder / "stacks/program.py").write_text(program)
    for tag, recording in (("old", "plan.json"), ("head", "update.json")):
        shutil.copyfile(recordings / recording, folder / "stacks/plan.json")
        _git("add", "-A")
        _git("commit", "--quiet", "-m", tag)
        _git("tag", tag)
    monkeypatch.chdir(folder / "stacks")
    return folder


@pytest.fixture
def diff(repository: Path) -> Run:
    """`diff("old", "HEAD")`, in the repository's folder `stacks`."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gpucluster", "cost", "diff", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=repository / "stacks")

    return run


def test_two_revisions_are_previewed_and_the_checkout_stays_as_it_is(diff: Run, repository: Path) -> None:
    (repository / "stacks/plan.json").write_text("work in progress")
    run = diff("old", "HEAD", *PLAN, "--format", "json")
    document = json.loads(run.stdout)
    assert (run.returncode, document["old"], document["new"]) == (1, "old", "HEAD")
    assert document["monthly"]["change"]["expected"] == "80468.40"
    commits = [_git("rev-parse", name).strip()[:12] for name in ("old", "HEAD")]
    shown = f"{Path(sys.executable).name} program.py"
    assert run.stderr.splitlines()[:2] == [f"Previewing {commit}: {shown}" for commit in commits]
    assert (repository / "stacks/plan.json").read_text() == "work in progress"
    assert len(_git("worktree", "list").splitlines()) == 1


def test_a_revision_and_a_file_are_compared_too(diff: Run, recordings: Path) -> None:
    run = diff("old", str(recordings / "plan.json"), *PLAN, "--quiet")
    assert (run.returncode, run.stderr) == (0, "")
    assert "does not change" in run.stdout


def test_storage_that_a_revision_no_longer_has_is_named(diff: Run, repository: Path) -> None:
    plan = json.loads((repository / "stacks/plan.json").read_text())
    plan["steps"] = [step for step in plan["steps"] if "lustreFileSystem" not in step["urn"]]
    plan["changeSummary"]["same"] -= 1
    (repository / "stacks/plan.json").write_text(json.dumps(plan))
    _git("commit", "--quiet", "-am", "no storage")
    run = diff("head", "HEAD", *PLAN, "--format", "json", "--quiet")
    assert (run.returncode, run.stderr) == (1, "")
    document = json.loads(run.stdout)
    assert [(loss["what"], loss["how"]) for loss in document["losses"]] == [("storage", "not in the new file")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["old", "nowhere", *PLAN],
         "error: 'nowhere' is neither a file nor a git revision here; give a plan or state file"),
        (["old", "HEAD"], "'old' is a git revision: name the stack to preview, --stack aws-trial, or a command"),
        (["old", "HEAD", *PLAN, "--stack", "dev"], "--stack and --run are two ways to preview a revision"),
        (["old", "HEAD", "--run", "'"], '"\'": No closing quotation; close every quote'),
        (["old", "HEAD", "--run", ""], "'' is empty"),
        (["old", "stacks", *PLAN], "'stacks' is neither a file"),
        (["--run", "x", "--", "--help", "HEAD"], "'--help' is neither a file nor a git revision"),
    ],
)  # fmt: skip
def test_wrong_input_is_exit_2(diff: Run, arguments: list[str], message: str) -> None:
    run = diff(*arguments)
    assert (run.returncode, run.stdout) == (2, "")
    assert message in " ".join(run.stderr.split()).replace("it is empty", "'' is empty")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (f"{sys.executable} -c 'import sys; sys.exit(\"no such stack\")'", "ended with exit code 1 at "),
        ("no-such-program --here", "error: no-such-program --here: No such file or directory"),
    ],
)
def test_a_preview_that_fails_is_exit_3_and_leaves_no_tree(diff: Run, command: str, message: str) -> None:
    run = diff("old", "HEAD", "--run", command)
    assert (run.returncode, run.stdout) == (3, "")
    assert message in run.stderr
    assert len(_git("worktree", "list").splitlines()) == 1


def test_of_a_failed_preview_its_own_errors_are_shown(diff: Run, repository: Path) -> None:
    said = {"diagnostics": [{"severity": "info", "message": "fine"}, {"severity": "error", "message": "no region"}]}
    (repository / "stacks/program.py").write_text(f"import sys\nprint({json.dumps(said)!r})\nsys.exit(255)\n")
    _git("commit", "--quiet", "-am", "broken")
    run = diff("HEAD", "old", *PLAN)
    assert (run.returncode, run.stderr.splitlines()[-1]) == (3, "no region")
    assert "fine" not in run.stderr


def test_the_virtual_environment_that_the_project_names_is_lent(diff: Run, repository: Path) -> None:
    (repository / "Pulumi.yaml").write_text("name: x\nruntime: {name: python, options: {virtualenv: .venv}}\n")
    program = (repository / "stacks/program.py").read_text()
    (repository / "stacks/program.py").write_text("open('../.venv/here').close()\n" + program)
    _git("add", "-A", str(repository))
    _git("commit", "--quiet", "-m", "project")
    (repository / ".venv").mkdir()
    (repository / ".venv/here").write_text("")
    run = diff("HEAD", "HEAD~0", *PLAN, "--quiet")
    assert (run.returncode, run.stderr) == (1, "")
    assert (repository / ".venv/here").exists()


def test_a_folder_that_a_revision_lacks_is_said(diff: Run, repository: Path) -> None:
    _git("mv", str(repository / "stacks"), str(repository / "elsewhere"))
    _git("commit", "--quiet", "-m", "moved")
    (repository / "stacks").mkdir(exist_ok=True)
    run = diff("HEAD", "old", *PLAN)
    assert run.returncode == 3
    assert run.stderr == Says("no", "folder", "stacks", "folder")
