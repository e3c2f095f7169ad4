"""The wheel as a user gets it, environments that hold it, and a project of his own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpucluster.checkout import folders
from tests.stacks.conftest import Done

ROOT = Path(__file__).parents[2]
SITE_PACKAGES = Path(sysconfig.get_path("purelib"))


@dataclass(frozen=True)
class Environment:
    """A virtual environment: the packages of ours, but without this checkout."""

    path: Path

    @property
    def site_packages(self) -> Path:
        return self.path / SITE_PACKAGES.relative_to(sys.prefix)

    def run(self, folder: Path, *command: str, variables: Mapping[str, str] | None = None) -> Done:
        """Runs a command of the environment from a folder."""
        inherited = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        done = subprocess.run(
            [str(self.path / "bin" / command[0]), *command[1:]],
            cwd=folder,
            env={**inherited, "NO_COLOR": "1", **(variables or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def pretend(self, package: str, version: str) -> None:
        """Says that an SDK is of another version, in both places that tell it."""
        linked = self.site_packages / package
        source = linked.resolve()
        linked.unlink()
        linked.mkdir()
        for entry in source.iterdir():
            if entry.name != "pulumi-plugin.json":
                (linked / entry.name).symlink_to(entry)
        [own] = self.site_packages.glob(f"{package}-*.dist-info")
        metadata, plugin = own / "METADATA", source / "pulumi-plugin.json"
        was = own.name.removeprefix(f"{package}-").removesuffix(".dist-info")
        (linked / plugin.name).write_text(plugin.read_text().replace(was, version))
        text = metadata.read_text().replace(f"Version: {was}", f"Version: {version}", 1)
        own.unlink()
        other = own.with_name(f"{package}-{version}.dist-info")
        other.mkdir()
        (other / "METADATA").write_text(text)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel is built of, without what earlier builds left."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in folders(ROOT).values():
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    return source


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without a network."""
    return build_wheel(source, tmp_path_factory.mktemp("wheel"))


def build_wheel(source: Path, folder: Path, **variables: str) -> Path:
    """source: a folder, or the archive of one."""
    offline = ("--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", str(folder))
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--verbose", *offline, str(source)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.findall(r"^.*(?:would be ignored|Deprecat|is still \*experimental).*$", done.stdout, re.MULTILINE) == []
    [wheel] = folder.iterdir()
    return wheel


@pytest.fixture(scope="module")
def only_gcp(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the wheel and one cloud's SDK."""
    return make_environment(wheel, tmp_path_factory.mktemp("only-gcp"), without=("pulumi_aws", "pulumi_azure_native"))


@pytest.fixture(scope="module")
def other_minor(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment whose SDK of Google Cloud is of another minor version."""
    made = make_environment(wheel, tmp_path_factory.mktemp("other-minor"))
    made.pretend("pulumi_gcp", "10.99.0")
    return made


def make_environment(
    wheel: Path, folder: Path, without: tuple[str, ...] = (), options: tuple[str, ...] = ()
) -> Environment:
    """Links to what is installed here, in a second instead of a minute; nothing of this checkout is among it."""
    venv.create(folder, with_pip=False)
    made = Environment(folder)
    for entry in SITE_PACKAGES.iterdir():
        if "gpucluster" not in entry.name and not entry.name.startswith(without):
            (made.site_packages / entry.name).symlink_to(entry)
    install = ("install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check", *options, str(wheel))
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), *install],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return made


OWN_PARTS = """\

import components
import cost
import pulumi

pulumi.export("own", f"{components.NAME} and {cost.NAME}")
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A Pulumi project called `own`, with packages `components` and `cost` that are not ours."""
    root = tmp_path / "project"
    shutil.copytree(ROOT / "stacks", root, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "Pulumi.yaml").write_text("name: own\nruntime: python\n")
    for name in ("components", "cost"):
        (root / name).mkdir()
        (root / name / "__init__.py").write_text(f'NAME = "{name} of the project"\n')
    (root / "__main__.py").write_text((root / "__main__.py").read_text() + OWN_PARTS)
    for file in root.glob("Pulumi.*.yaml"):
        file.write_text(file.read_text().replace("gpucluster:", "own:"))
    return root
