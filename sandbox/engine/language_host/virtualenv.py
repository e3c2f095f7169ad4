"""Selects the interpreter of a program or pack: ours, or that of its virtual environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gpucluster.errors import InputError


class MissingVirtualenv(InputError):
    """The project's virtual environment does not exist; the message is for the user."""


def interpreter(root: str, virtualenv: str | None) -> Path:
    """The interpreter for a project rooted at `root`; ours if it has no virtual environment, or uses ours."""
    if not virtualenv:
        return Path(sys.executable)
    folder = Path(root, virtualenv)
    if os.path.realpath(folder) == os.path.realpath(sys.prefix):
        return Path(sys.executable)
    python = folder / "bin" / "python"
    if not python.exists():
        raise MissingVirtualenv(
            f'The project in {root} names the virtual environment "{virtualenv}" (runtime.options.virtualenv), '
            f"but there is no {os.path.normpath(python)}.\n"
            f"Create it (python3 -m venv {os.path.normpath(folder)}) and install the project's requirements there, "
            "or correct or remove that option."
        )
    return python
