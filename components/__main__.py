"""The `cluster` command: checks a spec and shows what it becomes, without a cloud or an engine."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import click

from components.aws.location import parse_location
from components.aws.plan import AwsClusterPlan
from components.first_spec import first_spec, schema_beside
from components.input_error import InputError
from components.spec import NAME, ClusterSpec
from components.spec_schema import spec_schema
from components.stack_config import StackConfig
from components.stack_file import read_stack
from components.stack_plan import plan_stack
from cost.storage_price import storage_price

__all__ = ["main"]

_INPUT_ERROR = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gpucluster", prog_name="cluster")
def main() -> None:
    """Check a cluster spec and see what it becomes, before any cloud is asked."""


@main.command()
@click.argument("spec", required=False, type=click.Path(path_type=Path))
@click.option("--stack", help="Check this stack: its configuration, and the spec it names.")
@click.option("--region", help="AWS region for SPEC.  [default: us-east-1]")
@click.option("--zone", help="Zone of the GPU nodes for SPEC.  [default: zone a of the region]")
@click.option("--machine", help="Machine type of the training pool for SPEC.  [default: what the spec implies]")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def check(
    spec: Path | None, stack: str | None, region: str | None, zone: str | None, machine: str | None, form: str
) -> None:
    """Check SPEC, or the stack named by --stack, and print the AWS plan it gives.

    Exits with 2 and every problem where it can't be used: the same text that a preview gives.
    """
    try:
        if stack is not None:
            if spec or region or zone or machine:
                raise click.UsageError("--stack brings its own spec, region, zone and machine; leave them out")
            config = read_stack(stack, Path.cwd())
        elif spec is not None:
            config = _command_line(spec, region or "us-east-1", zone, machine)
        else:
            raise click.UsageError("name a SPEC, or a stack by --stack")
        plan = plan_stack(config, storage_price)
    except InputError as error:
        click.echo(str(error), err=True)
        sys.exit(_INPUT_ERROR)
    click.echo(json.dumps(plan.facts, indent=2) if form == "json" else _summary(plan))


def _command_line(spec: Path, region: str, zone: str | None, machine: str | None) -> StackConfig:
    """What the options of `check SPEC` say in place of a stack."""
    location = parse_location(region=region, zone=zone or f"{region}a", second_zone=None)
    wrong = isinstance(location, list)
    return StackConfig(
        stack=spec.stem,
        spec=spec,
        cloud="aws",
        location=None if wrong else location,
        machine=machine,
        source="command line",
        prefix="--",
        problems=tuple(f"--{problem}" for problem in location) if wrong else (),
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
    click.echo(f"Next: cluster check {path}")


def _summary(plan: AwsClusterPlan) -> str:
    location, training, storage, elastic = plan.location, plan.training, plan.storage, plan.elastic
    shape = training.shape
    rows = [
        ("cluster", f"{plan.name} on EKS {plan.kubernetes_version}, {location.region}"),
        (
            "training",
            f"{training.nodes} + {training.spares} spare x {shape.machine_type}: {training.nodes * shape.gpus} x "
            f"{shape.accelerator.upper()}, {shape.fabric} {shape.fabric_gbps:,} Gb/s a node, {location.zone}",
        ),
        ("placement", str(plan.facts["equivalence"]["coLocation"])),
        (
            "storage",
            f"FSx for Lustre {storage.capacity_gib:,} GiB for {storage.usable_gib:,} GiB of data, "
            f"{storage.gb_per_s:.1f} GB/s",
        ),
        ("home", f"EFS for small files, {plan.home.expected_gib} GiB expected" if plan.home else "none"),
        (
            "elastic",
            f"Karpenter, up to {elastic.max_gpus} GPUs on {elastic.shape.machine_type}" if elastic else "none",
        ),
        ("API", plan.access.summary),
        *(("lost", text) for text in plan.facts["losses"]),
        *(("note", text) for text in plan.facts["notes"]),
        *(("not built", text) for text in plan.facts["notBuilt"]),
    ]
    return "\n".join(f"{name:<10} {text}" for name, text in rows)


if __name__ == "__main__":
    main()
