"""Writes the folder with which a program in any language references the package: `packages: {gpucluster: FOLDER}`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from gpucluster.errors import InputError

_MAIN: Final = """\
from gpucluster.component_package.provider import main

main()
"""
_PLUGIN: Final = """\
# Written by `gpucluster package`: the package runs in the virtual environment that has it.
runtime:
  name: python
"""


def write_folder(folder: Path, environment: Path | None) -> list[Path]:
    """Write the files of the plugin, and return them. environment: the virtual one with this package; None for none.

    A project keeps the folder: paths to an environment beside or above it are relative, others absolute.
    Raises InputError if something else exists there.
    """
    texts = {folder / "PulumiPlugin.yaml": _PLUGIN + _options(folder, environment), folder / "__main__.py": _MAIN}
    foreign = [file for file in texts if file.exists() and not _ours(file)]
    if foreign:
        raise InputError(
            str(folder),
            [f"{file.name} exists and was not written by this command; give another folder" for file in foreign],
        )
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        file.write_text(text)
    return list(texts)


def _ours(file: Path) -> bool:
    return file.read_text().startswith((_MAIN, _PLUGIN))


def _options(folder: Path, environment: Path | None) -> str:
    if environment is None:
        return ""
    at, here = environment.resolve(), folder.resolve()
    shown = os.path.relpath(at, here) if here.is_relative_to(at.parent) else at
    return f"  options:\n    virtualenv: {shown}\n"


def this_environment() -> Path | None:
    """The virtual environment that runs this; None for a Python outside one."""
    return Path(sys.prefix) if sys.prefix != sys.base_prefix else None
