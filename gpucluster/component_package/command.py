"""`gpucluster package`: the folder with which programs in other languages reference the component package."""

from __future__ import annotations

from pathlib import Path

import click

from gpucluster.component_package.folder import this_environment, write_folder


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
    docs/component-package.md shows a program.
    """
    written = write_folder(folder, this_environment())
    # Without it Pulumi would look for a package of that name.
    here = "" if folder.is_absolute() or str(folder).startswith(".") else "./"
    click.echo(f"Wrote {' and '.join(map(str, written))}. Add the folder to Pulumi.yaml:")
    click.echo(f"packages:\n  gpucluster: {here}{folder}")
