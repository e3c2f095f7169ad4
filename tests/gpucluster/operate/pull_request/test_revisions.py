"""The two sides of a change, by git."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gpucluster.errors import InputError
from gpucluster.operate.pull_request.revisions import Repository
from tests.says import Says

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Git in a new repository whose first commit has one file."""
    root = tmp_path / "repository"
    root.mkdir()

    def run(*args: str) -> str:
        settings = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", *settings, *args], cwd=root, check=True, capture_output=True, text=True
        ).stdout.strip()

    run("init", "-q", "-b", "main")
    (root / "spec.yaml").write_text("nodes: 4\n")
    (root / ".gitignore").write_text("ignored\n")
    run("add", "-A")
    run("commit", "-q", "-m", "first")
    return run


@pytest.fixture
def repository(git: Git, tmp_path: Path) -> Repository:
    assert git("rev-parse", "HEAD")
    (tmp_path / "scratch").mkdir()
    return Repository.around(tmp_path / "repository", tmp_path / "scratch")


def test_the_base_is_where_the_branch_left_it(git: Git, repository: Repository) -> None:
    first = git("rev-parse", "HEAD")
    git("checkout", "-q", "-b", "change")
    git("commit", "-q", "--allow-empty", "-m", "mine")
    git("checkout", "-q", "main")
    git("commit", "-q", "--allow-empty", "-m", "theirs")
    git("checkout", "-q", "change")
    base = repository.base("main")
    assert base.commit == first
    assert repository.head(base).commit == git("rev-parse", "HEAD")


def test_of_a_merge_commit_the_base_is_the_first_parent_and_the_head_the_second(
    git: Git, repository: Repository
) -> None:
    git("checkout", "-q", "-b", "change")
    git("commit", "-q", "--allow-empty", "-m", "mine")
    git("checkout", "-q", "main")
    git("commit", "-q", "--allow-empty", "-m", "theirs")
    git("merge", "-q", "--no-ff", "-m", "merge", "change")
    base = repository.base("HEAD^1")
    assert base.commit == git("rev-parse", "HEAD^1")
    assert repository.head(base).commit == git("rev-parse", "change")


def test_the_head_is_the_working_tree_with_what_is_new_and_without_what_is_ignored(
    git: Git, repository: Repository, tmp_path: Path
) -> None:
    (repository.root / "spec.yaml").write_text("nodes: 8\n")
    (repository.root / "new file.yaml").write_text("x\n")
    (repository.root / "ignored").write_text("secret\n")
    before = git("status", "--porcelain", "--ignored"), git("count-objects")
    base = repository.base("main")
    head = repository.head(base)
    assert repository.changed(base, head) == ("new file.yaml", "spec.yaml")
    repository.export(base, tmp_path / "base")
    repository.export(head, tmp_path / "head")
    assert (tmp_path / "base/spec.yaml").read_text() == "nodes: 4\n"
    assert sorted(path.name for path in (tmp_path / "head").iterdir()) == [".gitignore", "new file.yaml", "spec.yaml"]
    assert (git("status", "--porcelain", "--ignored"), git("count-objects")) == before


def test_a_file_that_the_head_removes_is_not_exported(repository: Repository, tmp_path: Path) -> None:
    (repository.root / "spec.yaml").unlink()
    base = repository.base("main")
    head = repository.head(base)
    repository.export(head, tmp_path / "head")
    assert repository.changed(base, head) == ("spec.yaml",)
    assert not (tmp_path / "head/spec.yaml").exists()


@pytest.mark.parametrize(
    ("revision", "said"),
    [
        ("no-such-branch", Says("no-such-branch", "not", "commit", "branch", "commit")),
        ("--all", Says("--all", "not", "commit", "branch", "commit")),
        ("alien", Says("alien", "HEAD", "no", "more")),
    ],
)
def test_a_base_that_can_not_be_used_is_refused(git: Git, repository: Repository, revision: str, said: str) -> None:
    git("checkout", "-q", "--orphan", "alien")
    git("commit", "-q", "--allow-empty", "-m", "alien")
    git("checkout", "-q", "main")
    with pytest.raises(InputError) as caught:
        repository.base(revision)
    assert str(caught.value) == said


def test_a_folder_in_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"^{tmp_path} is not in a git repository: "):
        Repository.around(tmp_path, tmp_path)
