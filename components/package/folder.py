"""Path of the package's schema. Imports nothing: previews wait for the plugin."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import click

from gpucluster.errors import InputError

NAME: Final = "gpucluster"
SCHEMA_FILE: Final = Path(__file__).with_name("schema.json")


_MAIN: Final = """\
from gpucluster.components.package.provider import main

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
    foreign = [file for file in texts if file.exists() and not _is_generated(file)]
    if foreign:
        raise InputError(
            str(folder),
            [f"{file.name} exists and was not written by this command; give another folder" for file in foreign],
        )
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        file.write_text(text)
    return list(texts)


def _is_generated(file: Path) -> bool:
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


@click.command("package")
@click.argument(
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("gpucluster-package"),
    help="Folder to write.  [default: gpucluster-package]",
)
def command(folder: Path) -> None:
    """Write a Pulumi package of the clusters for any language.

    Programs in YAML, TypeScript, Go, C# and Java refer to its folder. Keep it with the project;
    docs/start/component-package.md shows a program.
    """
    written = write_folder(folder, this_environment())
    # Without it Pulumi would look for a package of that name.
    here = "" if folder.is_absolute() or str(folder).startswith(".") else "./"
    click.echo(f"Wrote {' and '.join(map(str, written))}.")
    click.echo(f"Add the folder to Pulumi.yaml:\npackages:\n  gpucluster: {here}{folder}")
