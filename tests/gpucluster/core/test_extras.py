"""What messages and pages say of the extras is what `pyproject.toml` has."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from gpucluster.checkout import folders
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.environment import installing
from gpucluster.sandbox.clouds.types.sdk_types import how_to_install

ROOT = Path(__file__).parents[3]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
SINGLE = {
    requirement for extra in EXTRAS.values() for requirement in extra if not requirement.startswith("gpucluster[")
}


@pytest.mark.parametrize("requirement", sorted(SINGLE))
def test_a_package_is_installed_in_the_range_of_its_extra(requirement: str) -> None:
    assert installing(re.split("[<>=]", requirement)[0]) == f"pip install '{requirement}'"


def test_a_package_of_no_extra_is_installed_in_any_version() -> None:
    assert installing("pulumi-toy") == "pip install 'pulumi-toy'"
    assert installing("pulumi") != "pip install 'pulumi'"


def test_the_sdk_of_each_cloud_is_that_of_its_extra() -> None:
    needed = {name: how_to_install(cloud.package) for name, cloud in clouds().items()}
    assert needed == {
        name: f"needs {re.split('[<>=]', EXTRAS[name][0])[0]}: pip install '{EXTRAS[name][0]}'" for name in clouds()
    }


def test_the_page_has_every_extra() -> None:
    page = (ROOT / "docs/start/installing.md").read_text()
    table = re.search(r"\| extra \|.*?\n\n", page, re.DOTALL)[0]
    rows = [row.split(" | ") for row in table.strip().splitlines()[2:]]
    named = [name for extra, brings, _ in rows for name in re.findall(r"`([a-z-]+)`", f"{extra} {brings}")]
    assert sorted(named) == sorted(EXTRAS)


def test_no_page_and_no_text_installs_from_an_index_what_is_not_there() -> None:
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    shipped = [file for folder in folders(ROOT).values() for file in (ROOT / folder).rglob("*.[mp][dy]")]
    found = [str(file) for file in (*pages, *shipped) if "install 'gpucluster" in file.read_text(encoding="utf-8")]
    assert found == []
