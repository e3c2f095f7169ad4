"""The package of a checkout as a folder of links."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpucluster.checkout import LINKS, folders, link, python_path, with_files

ROOT = Path(__file__).parents[2]
TABLE = '[tool.setuptools.package-dir]\ngpucluster = "gpucluster"\n"gpucluster.cost" = "cost"\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Another revision: `gpucluster/`, `cost/`, and no more of the package."""
    for file in ("gpucluster/__init__.py", "gpucluster/core/__init__.py", "cost/__init__.py", "cost/book.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    (tmp_path / "pyproject.toml").write_text(TABLE)
    return tmp_path


def _linked(checkout: Path) -> dict[str, Path]:
    return {path.name: path.resolve().relative_to(checkout) for path in (checkout / LINKS / "gpucluster").iterdir()}


def test_folders_and_files_of_the_package_are_linked_from_one_table(checkout: Path) -> None:
    assert link(checkout)
    linked = {"__init__.py": Path("gpucluster/__init__.py"), "cost": Path("cost"), "core": Path("gpucluster/core")}
    assert _linked(checkout) == linked
    (checkout / "gpucluster/core").rename(checkout / "gpucluster/operate")
    assert link(checkout)
    del linked["core"]
    assert _linked(checkout) == {**linked, "operate": Path("gpucluster/operate")}


def test_links_are_relative_so_that_they_go_along_with_a_copy(checkout: Path) -> None:
    link(checkout)
    assert not any(path.readlink().is_absolute() for path in (checkout / LINKS / "gpucluster").iterdir())


def test_a_text_names_the_files_and_not_their_links(checkout: Path) -> None:
    link(checkout)
    at = f"{LINKS}/gpucluster"
    text = f'"project:///{at}/cost/book.py#7,2" in {checkout}/{at}/core/none.py: {at}/__init__.py, other/{LINKS}'
    files = (
        f'"project:///cost/book.py#7,2" in {checkout}/gpucluster/core/none.py: gpucluster/__init__.py, other/{LINKS}'
    )
    assert with_files(text, checkout) == files


def test_programs_import_the_modules_of_a_revision_and_not_the_installed_ones(checkout: Path) -> None:
    program = "import gpucluster.cost.book, gpucluster.core as it; print(gpucluster.cost.book.__file__, it.__file__)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env={**os.environ, "PYTHONPATH": python_path(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert [Path(file).resolve() for file in done.stdout.split()] == [
        checkout / "cost/book.py",
        checkout / "gpucluster/core/__init__.py",
    ], done.stderr


@pytest.mark.parametrize("settings", [None, "", "[tool", '[tool.setuptools]\npackage-dir = {"" = "src"}\n'])
def test_a_project_without_the_table_is_found_by_its_own_folder(tmp_path: Path, settings: str | None) -> None:
    if settings is not None:
        (tmp_path / "pyproject.toml").write_text(settings)
    assert python_path(tmp_path) == str(tmp_path)
    assert not (tmp_path / LINKS).exists()


def test_make_says_what_a_file_system_without_links_lacks(checkout: Path) -> None:
    (checkout / "build").touch()  # no folder can be made here
    script = [sys.executable, "-IS", str(ROOT / "gpucluster/checkout.py"), str(checkout)]
    done = subprocess.run(script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.startswith("editors and `make check` will not find gpucluster.components: ")


def test_the_table_has_every_package_of_this_checkout_that_is_shipped() -> None:
    table = {package.removeprefix("gpucluster."): folder for package, folder in folders(ROOT).items()}
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert table == {name: name for name in packages - {"tools"}}
