"""What a release is called, wherever it says so."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from gpucluster.components.package.folder import SCHEMA_FILE
from tests.packaging.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CHANGES = (ROOT / "CHANGELOG.md").read_text()
PACKS = sorted((ROOT / "policies").glob("**/PulumiPolicy.yaml"))


def test_the_newest_release_of_the_changelog_is_the_version_of_the_wheel() -> None:
    unreleased, newest = re.findall(r"^## (.+)$", CHANGES, re.MULTILINE)[:2]
    assert unreleased == "Unreleased"
    assert re.fullmatch(rf"{re.escape(PROJECT['version'])} - \d{{4}}-\d\d-\d\d", newest), newest


def test_a_release_first_says_what_becomes_of_stacks_that_stand() -> None:
    released = CHANGES.partition(f"## {PROJECT['version']} - ")[2]
    assert re.findall(r"^### (.+)$", released, re.MULTILINE)[0] == "If a stack stands"


def test_the_page_installs_the_wheel_of_this_release() -> None:
    [named] = re.findall(r"dist/gpucluster-(\S+)-py3", (ROOT / "docs/start/installing.md").read_text())
    assert named == PROJECT["version"]


def test_the_component_package_is_of_the_same_release() -> None:
    assert version("gpucluster") == json.loads(SCHEMA_FILE.read_text())["version"] == PROJECT["version"]


@pytest.mark.parametrize("pack", PACKS, ids=lambda path: path.parent.name)
def test_each_policy_pack_is_of_the_same_release(pack: Path) -> None:
    assert yaml.safe_load(pack.read_text())["version"] == PROJECT["version"]
