"""The folder of a pack that Pulumi is given, written for the environment that asks for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

import gpucluster.policies
from gpucluster.cli import main
from gpucluster.policies.packs import PACKS
from gpucluster.policies.packs.folder import pack_folder
from tests.says import Says

POLICIES = Path(gpucluster.policies.__file__).parent


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GPUCLUSTER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("name", PACKS)
def test_every_pack_runs_in_this_environment_and_is_otherwise_as_in_the_package(name: str) -> None:
    folder = pack_folder(name)
    package = POLICIES if name == "training" else POLICIES / "packs" / name
    written, own = (yaml.safe_load((at / "PulumiPolicy.yaml").read_text()) for at in (folder, package))
    runtime = {"name": "python", "options": {"toolchain": "pip", "virtualenv": sys.prefix}}
    assert written == {**own, "runtime": runtime}
    assert (folder / "__main__.py").read_text() == (package / "__main__.py").read_text()
    assert folder.name == name


def test_outside_of_a_virtual_environment_none_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    written = yaml.safe_load((pack_folder("training") / "PulumiPolicy.yaml").read_text())
    assert written["runtime"]["options"] == {"toolchain": "pip"}


def test_a_folder_that_was_changed_is_written_anew_at_the_same_place() -> None:
    program = pack_folder("training") / "__main__.py"
    was = program.read_text()
    program.write_text("import os\n")
    assert pack_folder("training") / "__main__.py" == program
    assert program.read_text() == was


def test_the_command_prints_the_folder_alone(cache: Path) -> None:
    done = CliRunner().invoke(main, ["guardrails", "pack", "baseline"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"{pack_folder('baseline')}\n"
    assert Path(done.stdout.strip()).is_relative_to(cache)


def test_a_cache_that_can_not_be_written_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPUCLUSTER_CACHE", "/dev/null/cache")
    done = CliRunner().invoke(main, ["guardrails", "pack"])
    assert done.stderr == Says("Cannot", "/dev/null/cache/packs", "GPUCLUSTER_CACHE")
