"""`gpucluster init`."""

from __future__ import annotations

import re
from pathlib import Path

import click

from gpucluster.components.stack.first_spec import first_spec, relative_schema


def _cluster_name(context: click.Context, parameter: click.Parameter, value: str) -> str:
    from gpucluster.components.spec.cluster import ClusterSpec
    from gpucluster.components.spec.model import NAME

    del context, parameter
    if re.fullmatch(NAME, value) is None:
        raise click.BadParameter(f"{value!r}; write {ClusterSpec.model_fields['name'].description}")
    return value


@click.command()
@click.argument(
    "path",
    required=False,
    type=click.Path(path_type=Path, allow_dash=True),
    help="File to write, - for stdout; an existing file is never overwritten.  [default: NAME.yaml]",
)
@click.option("--name", default="trial", show_default=True, callback=_cluster_name, help="Prefix of every resource.")
@click.option("--nodes", default=4, show_default=True, type=click.IntRange(1, 400), help="Training nodes of 8 GPUs.")
def init(path: Path | None, name: str, nodes: int) -> None:
    """Write a first spec."""
    path = path or Path(f"{name}.yaml")
    text = first_spec(name, nodes, relative_schema(path))
    if str(path) == "-":
        click.echo(text, nl=False)
        return
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise click.UsageError(f"{path} exists already and is unchanged; give another PATH") from None
    except OSError as error:
        raise click.UsageError(f"{path} can't be written: {error.strerror}; give another PATH") from None
    click.echo(f"Wrote {path}. Set your own labels, budget and access.cidrs in it.")
    click.echo(f"Next: gpucluster check {path}")
