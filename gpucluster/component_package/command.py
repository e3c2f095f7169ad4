"""`python -m gpucluster.component_package`: the folder by which programs in other languages name the package."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gpucluster.component_package.folder import this_environment, write_folder
from gpucluster.components.input_error import InputError

__all__ = ["command"]


@click.command("package", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path("gpucluster-package"))
def command(folder: Path) -> None:
    """Write the FOLDER by which Pulumi programs in YAML, TypeScript, Go, C# and Java name the component package.

    Left out, FOLDER is gpucluster-package. Keep it with the project; docs/component-package.md shows a program.
    """
    try:
        written = write_folder(folder, this_environment())
    except InputError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    # Without it Pulumi would look for a package of that name.
    here = "" if folder.is_absolute() or str(folder).startswith(".") else "./"
    click.echo(f"Wrote {' and '.join(map(str, written))}. Name the folder in Pulumi.yaml:")
    click.echo(f"packages:\n  gpucluster: {here}{folder}")
