from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpucluster.sandbox.engine.language_host.server import MissingVirtualenv, interpreter


def venv_of_paper(folder: Path) -> Path:
    python = folder / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    return python


def test_a_project_that_names_none_runs_on_our_interpreter(tmp_path: Path) -> None:
    assert [interpreter(str(tmp_path), name) for name in (None, "")] == [Path(sys.executable)] * 2


def test_a_project_that_names_ours_runs_on_our_interpreter_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / ".venv").symlink_to(sys.prefix)
    assert [interpreter(str(tmp_path), name) for name in (".venv", sys.prefix)] == [Path(sys.executable)] * 2


def test_a_virtual_environment_is_looked_up_from_the_projects_root(tmp_path: Path) -> None:
    python = venv_of_paper(tmp_path / "venv")
    (tmp_path / "pack").mkdir()
    assert interpreter(str(tmp_path), "venv") == python
    assert interpreter(str(tmp_path / "pack"), "../venv").samefile(python)
    assert interpreter("/elsewhere", str(tmp_path / "venv")) == python


def test_a_missing_virtual_environment_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(MissingVirtualenv) as caught:
        interpreter(str(tmp_path / "pack"), "../venv")
    assert str(caught.value) == (
        f'The project in {tmp_path}/pack names the virtual environment "../venv" (runtime.options.virtualenv), '
        f"but there is no {tmp_path}/venv/bin/python.\n"
        f"Create it (python3 -m venv {tmp_path}/venv) and install the project's requirements there, "
        "or correct or remove that option."
    )
