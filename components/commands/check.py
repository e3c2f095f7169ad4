"""The `cluster` command: checks a spec and shows what it becomes, without a cloud or an engine."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import click

from gpucluster.acceptance.commands import acceptance
from gpucluster.components.cloud import CLOUDS, ClusterPlan, cloud_of, missing_sdk
from gpucluster.components.commands.telemetry import telemetry
from gpucluster.components.first_spec import first_spec, schema_beside
from gpucluster.components.kubernetes.names import TRAINING_POOL
from gpucluster.components.spec import NAME, ClusterSpec
from gpucluster.components.spec_schema import spec_schema
from gpucluster.components.stack_config import StackConfig
from gpucluster.components.stack_file import read_stack
from gpucluster.components.stack_plan import plan_stack
from gpucluster.cost import plan_prices
from gpucluster.cost.prices import BadPrices, DamagedBook
from gpucluster.errors import InputError
from gpucluster.textio.terminal import Program

__all__ = ["main"]

_INPUT_ERROR = 2
_OUR_ERROR = 3


class _Cluster(Program):
    """Ends with one line where the price book of this tool is damaged, whichever command reads it."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except DamagedBook as error:
            click.echo(str(error), err=True)
            ctx.exit(_OUR_ERROR)


@click.group(cls=_Cluster, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gpucluster", prog_name="cluster")
def main() -> None:
    """Check a cluster spec and see what it becomes, before any cloud is asked; judge the cluster once it stands."""


main.add_command(acceptance)
main.add_command(telemetry)


@main.command()
@click.argument("spec", required=False, type=click.Path(path_type=Path))
@click.option("--stack", help="Check this stack: its configuration, and the spec it names.")
@click.option("--cloud", type=click.Choice(CLOUDS), help=f"Cloud for SPEC.  [default: {CLOUDS[0]}]")
@click.option("--project", help="Google Cloud project for SPEC; a check does not ask it.  [default: my-project]")
@click.option("--region", help="Region for SPEC.  [default: us-east-1, us-central1]")
@click.option("--zone", help="Zone of the GPU nodes for SPEC.  [default: the first one of the region]")
@click.option("--machine", help="Machine type of the training pool for SPEC.  [default: what the spec implies]")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def check(
    spec: Path | None,
    stack: str | None,
    cloud: str | None,
    project: str | None,
    region: str | None,
    zone: str | None,
    machine: str | None,
    form: str,
) -> None:
    """Check SPEC, or the stack named by --stack, and print the plan it gives.

    Exits with 2 and every problem where it can't be used: the same text that a preview gives.
    """
    try:
        place = {"project": project, "region": region, "zone": zone}
        if stack is not None:
            if spec or cloud or machine or any(place.values()):
                raise click.UsageError("--stack brings its own spec, cloud, place and machine; leave them out")
            config = read_stack(stack, Path.cwd())
        elif spec is not None:
            given = {key: text for key, text in place.items() if text is not None}
            config = _command_line(spec, cloud or CLOUDS[0], given, machine)
        else:
            raise click.UsageError("name a SPEC, or a stack by --stack")
        plan = plan_stack(config, plan_prices)
    except (InputError, BadPrices) as error:
        click.echo(str(error), err=True)
        sys.exit(_INPUT_ERROR)
    click.echo(json.dumps(plan.facts, indent=2) if form == "json" else _summary(plan))
    if missing := missing_sdk(plan.training.shape.cloud):
        click.echo(f"a preview {missing}", err=True)


def _command_line(spec: Path, name: str, given: dict[str, str], machine: str | None) -> StackConfig:
    """What the options of `check SPEC` say in place of a stack. given: options that name a place."""
    cloud = cloud_of(name)
    foreign = sorted(set(given) - set(cloud.keys))
    if foreign:
        raise click.UsageError(f"--{foreign[0]} is no option for {cloud.title}; leave it out")
    values = {**cloud.keys, **given}
    if "zone" not in given:
        values["zone"] = cloud.zone_in(values["region"])
    location, problems = cloud.locate(values)
    return StackConfig(
        stack=spec.stem,
        spec=spec,
        cloud=name,
        location=location,
        machine=machine,
        source="command line",
        prefix="--",
        problems=tuple(f"--{problem}" for problem in problems),
        options=("project", "region", "zone", "machine"),
    )


@main.command()
def schema() -> None:
    """Print the JSON Schema of a spec, for editors."""
    click.echo(spec_schema(), nl=False)


def _cluster_name(context: click.Context, parameter: click.Parameter, value: str) -> str:
    del context, parameter
    if re.match(NAME, value) is None:
        raise click.BadParameter(f"{value!r}; write {ClusterSpec.model_fields['name'].description}")
    return value


@main.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--name", default="trial", show_default=True, callback=_cluster_name, help="Prefix of every resource.")
@click.option("--nodes", default=4, show_default=True, type=click.IntRange(1, 400), help="Training nodes of 8 GPUs.")
def init(path: Path | None, name: str, nodes: int) -> None:
    """Write a first spec to PATH, by default NAME.yaml; never over a file that is there."""
    path = path or Path(f"{name}.yaml")
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(first_spec(name, nodes, schema_beside(path)))
    except FileExistsError:
        raise click.UsageError(f"{path} exists already and is left as it is; name another PATH") from None
    except OSError as error:
        raise click.UsageError(f"{path} can't be written: {error.strerror}; name another PATH") from None
    click.echo(f"Wrote {path}. Put your own labels, budget and access.cidrs into it.")
    click.echo(f"Next: gpucluster check {path}")


def _summary(plan: ClusterPlan) -> str:
    training, shape = plan.training, plan.training.shape
    cloud = cloud_of(shape.cloud)
    fabric = f"{shape.fabric} {shape.fabric_gbps:,} Gb/s a node" if shape.fabric_gbps else "no GPU fabric"
    rows = [
        ("cluster", f"{plan.name} on {cloud.service} {plan.kubernetes_version}, {plan.location.region}"),
        (
            TRAINING_POOL,
            f"{training.nodes} + {training.spares} spare x {shape.machine_type}: {training.nodes * shape.gpus} x "
            f"{shape.accelerator.upper()}, {fabric}, {plan.location.zone}",
        ),
        ("placement", str(plan.facts["equivalence"]["coLocation"])),
        *cloud.parts(plan),
        ("API", plan.access.summary),
        *(("lost", text) for text in plan.facts["losses"]),
        *(("note", text) for text in plan.facts["notes"]),
        *(("not built", text) for text in plan.facts["notBuilt"]),
    ]
    return "\n".join(f"{name:<10} {text}" for name, text in rows)


if __name__ == "__main__":
    main()
