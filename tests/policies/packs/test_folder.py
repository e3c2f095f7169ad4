"""The folder of a pack that Pulumi is given, written for the environment that asks for it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from google.protobuf import empty_pb2, json_format
from pulumi.runtime.proto.analyzer_pb2 import MANDATORY, AnalyzeStackRequest, ConfigureAnalyzerRequest

import gpucluster.policies
from gpucluster.cli import main
from gpucluster.policies.packs import PACKS
from gpucluster.policies.packs.folder import pack_folder
from tests.policies.served import served
from tests.says import Says

SESSION = Path(__file__).parents[1] / "engine/session.jsonl"
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


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    """The pack of the page about packs of a company."""
    return Path(shutil.copytree(Path(__file__).parents[3] / "examples/pack", tmp_path / "acme"))


def _info(folder: Path) -> tuple[str, set[str], set[str]]:
    """Name of a served pack, names of the rules that no pack of this package has, and those that stop a preview."""
    with served(folder) as (stub, _):
        info = stub.GetAnalyzerInfo(empty_pb2.Empty())
    ours = {rule.name for rule in PACKS["training"].rules}
    own = [policy for policy in info.policies if policy.name not in ours]
    return info.name, {policy.name for policy in own}, {one.name for one in own if one.enforcementLevel == MANDATORY}


RULES = {"allowed-machines", "allowed-regions", "cost-centre-pattern"}


def test_the_rules_of_a_company_run_in_a_preview_where_they_are(acme: Path) -> None:
    folder = pack_folder(str(acme))
    assert _info(folder) == ("acme", RULES, RULES)
    (acme / "allowed_regions.py").unlink()
    settings = yaml.safe_load((acme / "pack.yaml").read_text())
    del settings["settings"]["allowed-regions"]
    (acme / "pack.yaml").write_text(yaml.safe_dump({**settings, "version": "2.0.0"}))
    assert _info(folder)[1] == RULES - {"allowed-regions"}
    assert "version: 2.0.0" in (pack_folder(str(acme)) / "PulumiPolicy.yaml").read_text()


def test_settings_of_the_folder_hold_in_a_preview_below_those_of_the_run(acme: Path) -> None:
    written = yaml.safe_load((acme / "pack.yaml").read_text())
    written["settings"] |= {"allowed-regions": {"regions": ["eu-west-1"]}, "cost-centre-pattern": "disabled"}
    del written["settings"]["exemptions-valid"]
    (acme / "pack.yaml").write_text(yaml.safe_dump({**written, "extends": "none"}))
    [asked] = [line for line in SESSION.read_text().splitlines() if '"AnalyzeStack"' in line]
    stack = json_format.ParseDict(json.loads(asked)["request"], AnalyzeStackRequest())
    with served(pack_folder(str(acme))) as (stub, _):

        def found(**properties: list[str]) -> set[str]:
            request = ConfigureAnalyzerRequest()
            request.policyConfig["allowed-regions"].enforcementLevel = MANDATORY
            request.policyConfig["allowed-regions"].properties.update(properties)
            stub.Configure(request)
            return {one.policyName for one in stub.AnalyzeStack(stack).diagnostics}

        unconfigured = {one.policyName for one in stub.AnalyzeStack(stack).diagnostics}
        assert (unconfigured, found(), found(regions=["us-east-1"])) == (
            {"allowed-regions"},
            {"allowed-regions"},
            set(),
        )


def test_a_folder_that_is_no_pack_any_more_ends_with_its_mistake(acme: Path) -> None:
    folder = pack_folder(str(acme))
    (acme / "allowed_regions.py").write_text("RULE = 1\n")
    done = subprocess.run([sys.executable, "."], cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, Says(f"error: {acme}/allowed_regions.py has no RULE"))


@pytest.mark.parametrize("name", [*PACKS, "acme"])
def test_a_pack_for_publishing_has_all_that_it_needs_and_runs_anywhere(name: str, acme: Path, tmp_path: Path) -> None:
    folder = tmp_path / "2.0.0"  # as Pulumi names the folder of a version
    done = CliRunner().invoke(
        main, ["guardrails", "pack", str(acme) if name == "acme" else name, "--publish", str(folder)]
    )
    assert (done.exit_code, done.stdout) == (0, f"Next: pulumi policy publish, in {folder}\n")
    manifest = yaml.safe_load((folder / "PulumiPolicy.yaml").read_text())
    assert manifest["runtime"] == {"name": "python", "options": {"toolchain": "pip", "virtualenv": "venv"}}
    version = yaml.safe_load((POLICIES / "PulumiPolicy.yaml").read_text())["version"]
    assert (folder / "requirements.txt").read_text() == f"gpucluster=={version}\n"
    assert str(tmp_path) not in "".join(file.read_text() for file in folder.iterdir())
    shutil.rmtree(acme)
    assert _info(folder) == (name, RULES if name == "acme" else set(), RULES if name == "acme" else set())
    again = CliRunner().invoke(main, ["guardrails", "pack", "--publish", str(folder)])
    assert (again.exit_code, again.stderr) == (2, Says(f"{folder} can't be written", "name a new folder"))
