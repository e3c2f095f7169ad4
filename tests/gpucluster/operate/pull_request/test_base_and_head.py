"""One side of a change: its folders, its environment, and what its commands say."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from gpucluster.operate.pull_request.base_and_head import Side, SideFailed, _errors
from gpucluster.operate.pull_request.revisions import Repository, Revision

ROOT = Path(__file__).parents[4]
PROJECT = "name: shop\nruntime:\n  name: python\n  options:\n    virtualenv: {}\n"


def side(root: Path, virtualenv: str) -> Side:
    """A side whose project is in the folder `infra` of a repository, with the stacks dev and prod."""
    infra = root / "files/infra"
    infra.mkdir(parents=True)
    (infra / "Pulumi.yaml").write_text(PROJECT.format(virtualenv))
    for stack in ("dev", "prod"):
        (infra / f"Pulumi.{stack}.yaml").write_text("config: {}\n")
    (root / "tree/infra/venv/bin").mkdir(parents=True)
    (root / "tree/infra/Pulumi.yaml").write_text(PROJECT.format(virtualenv))
    repository = Repository(root / "tree", root)
    return Side(repository, Revision("0" * 40, "0" * 40), Path("infra"), root / "files", root / "tree")


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
    with pytest.raises(SideFailed) as caught:
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
    for file, old in (("sandbox/run/run.py", "SIMULATED clouds"), ("components/stack/declaration.py", "API reachable")):
        changed = tmp_path / "files" / file
        text = changed.read_text()
        assert old in text
        changed.write_text(text.replace(old, f"of the revision: {old}"))
    made = Side(repository, revision, Path(), tmp_path / "files", ROOT).copy(tmp_path / "copy")
    positions = re.findall(r'"sourcePosition": "project:///([\w/]+.py)', made.plan("gcp-trial"))
    assert [file for file in positions if not (ROOT / file).is_file()] == []
    assert "components/gcp/cluster.py" in positions
    done = made._pulumi("preview", "--stack", "gcp-trial")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "of the revision: SIMULATED clouds" in done.stderr
    assert "of the revision: API reachable" in done.stdout
