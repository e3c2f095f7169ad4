"""The two sides of a change, by git."""

from __future__ import annotations

import datetime
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpucluster.errors import InputError
from gpucluster.operate.pull_request.revisions import Checkout, CheckoutFailed, Repository, Revision, _errors
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


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("until: '2026-12-01'", True),
        ("until=date(2026, 12, 1)", True),
        ("date(year=2026, month=12, day=1)", True),
        ("until: '2026-12-11'", False),
        ("until: '2026-02-01'", False),
        ("until = date.today() + timedelta(30)", False),
    ],
)
def test_a_day_is_there_if_a_file_has_its_numbers(
    repository: Repository, tmp_path: Path, text: str, there: bool
) -> None:
    (repository.root / "new.py").write_text(f"{text}\n")
    head = repository.head(repository.base("main"))
    side = Checkout(repository, head, Path(), tmp_path, tmp_path)
    assert side.has_day(datetime.date(2026, 12, 1)) is there


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


def test_a_base_that_a_shallow_clone_lacks_is_refused_with_the_depth_to_fetch(git: Git, tmp_path: Path) -> None:
    git("commit", "-q", "--allow-empty", "-m", "second")
    clone = tmp_path / "clone"
    source = f"file://{tmp_path / 'repository'}"
    subprocess.run(["git", "clone", "-q", "--depth", "1", source, clone], check=True, capture_output=True)
    (tmp_path / "scratch").mkdir()
    with pytest.raises(InputError) as caught:
        Repository.around(clone, tmp_path / "scratch").base("HEAD^1")
    assert str(caught.value) == Says("HEAD^1", "not", "commit", "shallow", "fetch-depth: 2")


def test_a_clean_tree_has_no_uncommitted_changes(repository: Repository) -> None:
    base = repository.base("main")
    assert not repository.head(base).uncommitted
    (repository.root / "ignored").write_text("secret\n")
    assert not repository.head(base).uncommitted
    (repository.root / "spec.yaml").write_text("nodes: 8\n")
    assert repository.head(base).uncommitted


def test_a_folder_in_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"^{tmp_path} is not in a git repository: "):
        Repository.around(tmp_path, tmp_path)


ROOT = Path(__file__).parents[4]
PROJECT = "name: shop\nruntime:\n  name: python\n  options:\n    virtualenv: {}\n"


def side(root: Path, virtualenv: str) -> Checkout:
    """A side whose project is in the folder `infra` of a repository, with the stacks dev and prod."""
    infra = root / "files/infra"
    infra.mkdir(parents=True)
    (infra / "Pulumi.yaml").write_text(PROJECT.format(virtualenv))
    for stack in ("dev", "prod"):
        (infra / f"Pulumi.{stack}.yaml").write_text("config: {}\n")
    (root / "tree/infra/venv/bin").mkdir(parents=True)
    (root / "tree/infra/Pulumi.yaml").write_text(PROJECT.format(virtualenv))
    repository = Repository(root / "tree", root)
    return Checkout(repository, Revision("0" * 40, "0" * 40), Path("infra"), root / "files", root / "tree")


def test_a_copy_has_the_files_and_a_link_to_the_environment(tmp_path: Path) -> None:
    made = side(tmp_path, "venv")
    copy = made.copy(tmp_path / "copy")
    assert (made.stacks(), copy.stacks()) == (["dev", "prod"], ["dev", "prod"])
    assert (tmp_path / "copy/infra/venv").resolve() == tmp_path / "tree/infra/venv"
    assert copy.store == tmp_path / "copy/infra/.sandbox"


def test_an_environment_outside_of_the_project_needs_no_link(tmp_path: Path) -> None:
    side(tmp_path, sys.prefix).copy(tmp_path / "copy")
    assert sorted(path.name for path in (tmp_path / "copy/infra").iterdir()) == [
        "Pulumi.dev.yaml",
        "Pulumi.prod.yaml",
        "Pulumi.yaml",
    ]


@pytest.mark.parametrize(
    ("setup", "said"),
    [
        ("sh -c 'echo start; echo error: no network; echo more; exit 1'", "error: no network\nmore"),
        ("no-such-command", "error: no-such-command: No such file or directory"),
    ],
)
def test_an_environment_that_can_not_be_made_says_why(tmp_path: Path, setup: str, said: str) -> None:
    with pytest.raises(CheckoutFailed) as caught:
        side(tmp_path, "venv").install(setup)
    assert str(caught.value) == f"`{setup}` failed: {said}"


def test_a_command_that_works_makes_the_environment_in_the_projects_folder(tmp_path: Path) -> None:
    side(tmp_path, "venv").install("touch made")
    assert (tmp_path / "tree/infra/made").exists()


def test_of_what_a_command_prints_the_error_is_kept_and_no_more_than_a_reader_needs() -> None:
    assert _errors("Updating\n + create\n  error: zone\n\n  said more\n") == "error: zone\nsaid more"
    assert _errors("\n".join(f"line {number}" for number in range(40))).splitlines()[0] == "line 30"
    assert len(_errors("error: " + "x" * 9_000)) == 2_000
    cut_off = "error: train: grpc: the client connection is closing"
    assert _errors(f"{cut_off}\nrole:\nerror: no policy\n") == "error: no policy"
    assert _errors(cut_off) == cut_off


@pytest.mark.engine
@pytest.mark.slow
def test_a_revision_of_this_project_runs_with_its_own_tools_and_components(tmp_path: Path) -> None:
    (tmp_path / "scratch").mkdir()
    repository = Repository(ROOT, tmp_path / "scratch")
    revision = repository.head(repository.base("HEAD"))
    repository.export(revision, tmp_path / "files")
    for file, old in (("sandbox/run/run.py", "SIMULATED clouds"), ("components/stack/declaration.py", "before up: ")):
        changed = tmp_path / "files" / file
        text = changed.read_text()
        assert old in text
        changed.write_text(text.replace(old, f"of the revision: {old}"))
    made = Checkout(repository, revision, Path(), tmp_path / "files", ROOT).copy(tmp_path / "copy")
    positions = re.findall(r'"sourcePosition": "project:///([\w/]+.py)', made.plan("gcp-trial"))
    assert [file for file in positions if not (ROOT / file).is_file()] == []
    assert "components/gcp/cluster.py" in positions
    done = made._pulumi("preview", "--stack", "gcp-trial")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "of the revision: SIMULATED clouds" in done.stderr
    assert "of the revision: before up: " in done.stdout
