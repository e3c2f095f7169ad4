"""`gpucluster init`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpucluster.components.stack.first_spec import first_spec, relative_schema
from gpucluster.core.catalog.clouds import clouds
from gpucluster.errors import InputError
from gpucluster.options import stack_option

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    help="Spec to write, - for stdout; an existing file is never overwritten.  [default: NAME.yaml, or "
    "specs/STACK.yaml with --stack]",
)
@click.option(
    "--name",
    metavar="NAME",
    default="trial",
    show_default=True,
    callback=_cluster_name,
    help="Prefix of every resource.",
)
@click.option(
    "--nodes", metavar="N", default=4, show_default=True, type=click.IntRange(1, 400), help="Training nodes of 8 GPUs."
)
@stack_option("Stack to write too, with the spec in its configuration.")
@click.option("--cloud", type=click.Choice([*clouds()]), help="Cloud of the stack.  [default: aws]")
@click.option("--region", metavar="NAME", help="Region of the stack.  [default: us-east-1, us-central1, eastus]")
@click.option("--zone", metavar="NAME", help="Zone of the GPU nodes.  [default: the first one of the region]")
@click.option("--machine", metavar="NAME", help="Machine type of the training nodes.  [default: what the spec implies]")
@click.pass_context
def init(
    context: click.Context,
    path: Path | None,
    name: str,
    nodes: int,
    stack: str | None,
    cloud: str | None,
    region: str | None,
    zone: str | None,
    machine: str | None,
) -> None:
    """Write a first spec, or a whole stack.

    At a terminal, without options, it asks: where, which machines, how to buy them, each with what is sold there and
    its price. Then it writes spec and stack, and in an empty folder a project. With options it asks nothing.
    """
    default = click.core.ParameterSource.DEFAULT
    chosen = any(context.get_parameter_source(each) is not default for each in context.params)
    if not chosen and sys.stdin.isatty() and sys.stdout.isatty():
        from gpucluster.operate.spec.dialogue import ask

        made, cloud = ask()
        click.echo(made.report(cloud))
        return
    place = {"region": region, "zone": zone, "machine": machine}
    given = {key: value for key, value in place.items() if value is not None}
    if stack is None and (cloud or given):
        raise InputError("command line", [f"--{next(iter(given), 'cloud')} is for a stack; add --stack NAME"])
    if stack is not None:
        _write_stack(stack, path, name, nodes, cloud or "aws", given)
        return
    _write_spec(path or Path(f"{name}.yaml"), name, nodes)


def _write_spec(path: Path, name: str, nodes: int) -> None:
    text = first_spec(name, nodes, relative_schema(path))
    if str(path) == "-":
        click.echo(text, nl=False)
        return
    from gpucluster.components.stack.new_stack import write_all

    write_all({path: text})
    click.echo(f"Wrote {path}. Set your own labels, budget and access.cidrs in it.")
    click.echo(f"Next: gpucluster check {path}")


def _write_stack(stack: str, path: Path | None, name: str, nodes: int, cloud: str, given: Mapping[str, str]) -> None:
    from gpucluster.components.cluster.cloud import cloud_of
    from gpucluster.components.stack.new_stack import new_stack

    if str(path) == "-":
        raise InputError("command line", ["PATH is -, but a stack needs its spec in a file; remove one of them"])
    known = cloud_of(cloud)
    values = {**known.keys, **given}
    if "zone" not in given:
        values["zone"] = known.zone_in(values["region"])
    if problems := known.locate(values)[1]:
        raise InputError("command line", [f"--{problem}" for problem in problems])
    made = new_stack(stack, Path.cwd(), path)
    made.write(lambda schema: first_spec(name, nodes, schema), {"cloud": cloud, **values})
    click.echo(made.report(cloud, "labels", "budget"))
