"""Environments that lack packages, or files of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gpucluster.core.environment import incomplete, lacking

ROOT = Path(__file__).parents[3]


def _install(site: Path, name: str = "yaml-1.0") -> Path:
    """A package as installers leave it; returns the folder of its module."""
    module = site / name.partition("-")[0]
    info = site / f"{name}.dist-info"
    for folder in (module, info):
        folder.mkdir(parents=True, exist_ok=True)
    (module / "__init__.py").write_text("x = 1\n")
    (module / "a,b.py").write_text("")
    (info / "RECORD").write_text(
        f'{module.name}/__init__.py,sha256=x,6\n"{module.name}/a,b.py",sha256=x,0\n../../bin/{module.name},sha256=x,2\n'
        f"{module.name}/__pycache__/x.pyc,,\n{info.name}/RECORD,,\n"
    )
    return module


def test_complete_packages_are_not_reported(tmp_path: Path) -> None:
    _install(tmp_path)
    assert incomplete(tmp_path) == incomplete(tmp_path / "none") == {}


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "folder": (lambda site: shutil.rmtree(site / "yaml"), "lacks yaml/__init__.py"),
    "name with a comma": (lambda site: (site / "yaml/a,b.py").unlink(), "lacks yaml/a,b.py"),
    "cut": (lambda site: (site / "yaml/__init__.py").write_text(""), "has a changed yaml/__init__.py"),
    "record": (lambda site: (site / "yaml-1.0.dist-info/RECORD").unlink(), "lacks yaml-1.0.dist-info/RECORD"),
    "no text": (
        lambda site: (site / "yaml-1.0.dist-info/RECORD").write_bytes(b"\xff\xfe"),
        "lacks yaml-1.0.dist-info/RECORD",
    ),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_package_without_all_of_its_files_is_named(tmp_path: Path, case: str) -> None:
    _install(tmp_path, "click-8.0")
    _install(tmp_path)
    damage, wrong = DAMAGE[case]
    damage(tmp_path)
    assert incomplete(tmp_path) == {"yaml-1.0": wrong}


def test_the_environment_of_the_tests_is_complete() -> None:
    assert incomplete(Path(pytest.__file__).parents[1]) == {}


@pytest.mark.parametrize("module", ["click", "yaml"])
def test_a_command_without_a_package_says_what_to_do(module: str, tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: small\nruntime: python\n")
    code = f"import sys; sys.modules[{module!r}] = None; from gpucluster.__main__ import run; run()"
    command = [sys.executable, "-c", code, "sandbox", "status"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (2, "")
    assert line.startswith(f"error: the environment {sys.prefix} lacks {module}: ")


@pytest.mark.parametrize(
    ("prefix", "way"),
    [(ROOT / ".venv", f"run `make` in {ROOT}"), (Path("/elsewhere"), "pip install --force-reinstall")],
)
def test_the_way_to_complete_an_environment_depends_on_who_made_it(
    monkeypatch: pytest.MonkeyPatch, prefix: Path, way: str
) -> None:
    monkeypatch.setattr(sys, "prefix", str(prefix))
    found = lacking(ModuleNotFoundError(name="yaml.loader"))
    assert found.startswith(f"the environment {prefix} lacks yaml.loader: ") and way in found


def test_a_clone_without_its_environment_says_so(tmp_path: Path) -> None:
    """As an editable installation elsewhere leaves it: `python -m` finds the folder `gpucluster` first."""
    for name in ("gpucluster", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    code = (
        "import sys; sys.meta_path[:] = [it for it in sys.meta_path if 'Editable' not in repr(it)]; "
        "from gpucluster.__main__ import run; run()"
    )
    command = [sys.executable, "-c", code, "cost", "prices", "show", "aws", "p5.48xlarge"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {sys.executable} does not find gpucluster.cost") and "`make`" in done.stderr


def test_other_missing_modules_are_told_apart() -> None:
    assert lacking(ModuleNotFoundError(name="gpucluster.nothing")) == lacking(ModuleNotFoundError()) == ""
    assert "standard library" in lacking(ModuleNotFoundError(name="sqlite3"))


UV = f"""#!{sys.executable}
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from tests.gpucluster.core.test_installed import _install
with open("uv.log", "a") as log:
    print(*sys.argv[1:3], *sys.argv[-1:], file=log)
site = Path(".venv/lib/python3.11/site-packages")
if sys.argv[1] == "venv":
    site.mkdir(parents=True, exist_ok=True)
for name in {{"sync": ("yaml-1.0", "click-8.0"), "install": ("pytest-9.0",)}}.get(sys.argv[2], ()):
    if "--editable" not in sys.argv and not (site / (name + ".dist-info")).exists():
        _install(site, name)
"""
SYNC = ["venv --quiet .venv", "pip sync requirements.lock", "pip install ."]
DEVELOP = ["pip install requirements-bills.lock"]


class Checkout:
    """A folder with the project's Makefile and an installer that only notes what it does."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.site = folder / ".venv/lib/python3.11/site-packages"
        for file in ("Makefile", "gpucluster/checkout.py", "gpucluster/core/environment.py"):
            (folder / file).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / file, folder / file)
        for name in ("", "-dev", "-account", "-judges", "-bills", "-uv"):
            (folder / f"requirements{name}.lock").touch()
        for name in ("pyproject.toml", "setup.py"):
            (folder / name).touch()
        installer = folder / ".tools/uv/bin/uv"
        installer.parent.mkdir(parents=True)
        installer.write_text(UV)
        installer.chmod(0o755)

    def make(self, target: str = "setup") -> tuple[list[str], str]:
        """What the installer does, and what the user sees of packages."""
        log = self.folder / "uv.log"
        log.write_text("")
        command = ["make", "--no-print-directory", target, f"PYTHON={sys.executable}"]
        # Not as a part of the `make` that runs the tests.
        own = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
        done = subprocess.run(command, cwd=self.folder, env=own, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said = [line for line in done.stderr.splitlines() if not line.startswith("Installing")]
        return log.read_text().splitlines(), "\n".join(said)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_make_installs_once(checkout: Checkout) -> None:
    assert checkout.make() == (SYNC, "")
    assert checkout.make() == ([], "")
    assert checkout.make(".venv/.ready-dev") == (DEVELOP, "")
    assert checkout.make(".venv/.ready-dev") == checkout.make() == ([], "")


AGAIN: dict[str, tuple[Callable[[Path], object], str, list[str]]] = {
    "missing file": (lambda site: shutil.rmtree(site / "yaml"), "yaml-1.0 in .venv lacks yaml/__init__.py", []),
    "missing package": (lambda site: shutil.rmtree(site / "yaml-1.0.dist-info"), "yaml in .venv is gone", []),
    "changed file": (
        lambda site: (site / "yaml/__init__.py").write_text(""),
        "yaml-1.0 in .venv has a changed yaml/__init__.py",
        ["cache clean yaml"],
    ),
    "package of the tests": (
        lambda site: shutil.rmtree(site / "pytest"),
        "pytest-9.0 in .venv lacks pytest/__init__.py",
        [],
    ),
}


@pytest.mark.parametrize("case", AGAIN)
def test_make_names_incomplete_packages_and_installs_them_again(checkout: Checkout, case: str) -> None:
    checkout.make(".venv/.ready-dev")
    damage, said, first = AGAIN[case]
    damage(checkout.site)
    assert checkout.make(".venv/.ready-dev") == ([*first, *SYNC, *DEVELOP], f"{said}: installing it again")
    assert incomplete(checkout.site) == {}
    assert checkout.make(".venv/.ready-dev") == checkout.make() == ([], "")


def test_make_leaves_alone_what_users_install(checkout: Checkout) -> None:
    checkout.make(".venv/.ready-dev")
    (checkout.site / "yaml-1.0.dist-info").rename(checkout.site / "yaml-1.1.dist-info")
    _install(checkout.site, "more-1.0")
    (checkout.site / "yaml-1.1.dist-info/RECORD").write_text("yaml/__init__.py,sha256=x,6\n")
    assert checkout.make(".venv/.ready-dev") == checkout.make() == ([], "")


def test_make_ends_an_installation_that_was_interrupted(checkout: Checkout) -> None:
    shutil.rmtree(_install(checkout.site))
    assert checkout.make() == (SYNC, "yaml-1.0 in .venv lacks yaml/__init__.py: installing it again")
    assert incomplete(checkout.site) == {}
