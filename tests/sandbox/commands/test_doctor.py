from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gpucluster.core.cache import CACHE_VARIABLE
from gpucluster.sandbox.api_server import binaries
from gpucluster.sandbox.commands.doctor import doctor


@pytest.fixture
def examined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a project, an empty cache in it, and nothing on PATH."""
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path


def _said(result: Result) -> dict[str, tuple[str, str]]:
    """Part -> (ok or WRONG, what is said of it)."""
    lines = (line.split(maxsplit=2) for line in result.stdout.splitlines())
    return {part: (state, words) for state, part, words in lines}


def test_a_fresh_machine_lacks_nothing_that_cannot_be_made(examined: Path) -> None:
    result = CliRunner().invoke(doctor)
    said = _said(result)
    assert result.exit_code == 0, result.output
    assert {state for state, _ in said.values()} == {"ok"}
    assert said["engine"][1] == "none yet: downloaded or built at first use (about 5 minutes)"
    assert said["packages"][1] == f"complete, in {sysconfig.get_path('purelib')}"
    assert said["kubernetes"][1] == (
        "none yet: built by gpucluster sandbox kubernetes, or by the first --kubernetes real (about 5 minutes)"
    )
    assert said["go"][1] == "none on PATH: installed with pip when a build needs it"
    assert said["disk"][1].endswith(f" GiB free for {examined / 'cache'}")
    assert "aws " in said["SDKs"][1]
    assert said["project"][1] == "small: 0 simulated resources"
    assert not (examined / "cache").exists()
    assert not (examined / ".sandbox").exists()


def test_what_is_broken_is_named_with_its_repair(examined: Path) -> None:
    binaries.folder().mkdir(parents=True)
    (binaries.folder() / "installed.json").write_text("{}")
    (examined / ".sandbox").mkdir()
    (examined / ".sandbox" / "clouds.sqlite3").write_text("no database, and long enough to be told apart from one")
    result = CliRunner().invoke(doctor)
    said = _said(result)
    assert result.exit_code == 1
    assert said["kubernetes"] == (
        "WRONG",
        "what is cached is broken: cannot read its record ('sha256'); run gpucluster sandbox kubernetes --build",
    )
    assert said["project"][0] == "WRONG"
    assert said["project"][1].endswith(
        "`gpucluster sandbox recover` repairs it, `gpucluster sandbox reset` forgets everything"
    )


def test_incomplete_packages_are_named_and_the_other_parts_examined(
    examined: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = examined / "site"
    for name in ("first-1.0.dist-info", "second-2.0.dist-info"):
        (site / name).mkdir(parents=True)
        (site / name / "RECORD").write_text("module.py,sha256=x,1\n")
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(site))
    # What `rm -r` of a package does to later imports.
    monkeypatch.setitem(sys.modules, "yaml", None)
    for module in ("sandbox.project.project", "core.text.project_file", "core.text.typed", "core.text.yaml_text"):
        monkeypatch.delitem(sys.modules, f"gpucluster.{module}", raising=False)
    result = CliRunner().invoke(doctor)
    said = _said(result)
    assert result.exit_code == 1
    assert said["packages"][0] == "WRONG"
    assert said["packages"][1].startswith("first-1.0 lacks module.py, second-2.0 lacks module.py: ")
    assert said["python"][0] == said["go"][0] == "ok"
    assert said["project"][1].startswith(f"the environment {sys.prefix} lacks yaml: ")


def test_a_project_that_the_engine_cannot_use_is_one_broken_part(
    examined: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = examined / os.fsdecode(b"\xff")
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(doctor)
    assert (result.exit_code, _said(result)["project"][0]) == (1, "WRONG")
