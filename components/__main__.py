"""The `cluster` command: checks a spec and shows what it becomes, without a cloud or an engine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NoReturn

import click

from components.aws.location import Location, parse_location
from components.aws.plan import AwsClusterPlan, plan_cluster
from components.plan import PlanError
from components.spec import ClusterSpec
from components.spec_file import SpecError, read_spec

__all__ = ["main"]

_INPUT_ERROR = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gpucluster", prog_name="cluster")
def main() -> None:
    """Check a cluster spec and see what it becomes, before any cloud is asked."""


@main.command()
@click.argument("spec", type=click.Path(path_type=Path))
@click.option("--region", default="us-east-1", show_default=True, help="AWS region.")
@click.option("--zone", help="Zone of the GPU nodes.  [default: zone a of the region]")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def check(spec: Path, region: str, zone: str | None, form: str) -> None:
    """Check SPEC and print the AWS plan it gives. Exits with 2 and every problem where it can't be used."""
    location = parse_location(region=region, zone=zone or f"{region}a", second_zone=None)
    if isinstance(location, list):
        _refuse("\n".join(f"--{problem}" for problem in location))
    try:
        plan = plan_cluster(read_spec(spec), location, stack=spec.stem)
    except (SpecError, PlanError) as error:
        _refuse(str(error))
    click.echo(json.dumps(plan.facts, indent=2) if form == "json" else _summary(plan, location))


@main.command()
def schema() -> None:
    """Print the JSON Schema of a spec, for editors."""
    click.echo(json.dumps(ClusterSpec.model_json_schema(), indent=2))


def _refuse(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(_INPUT_ERROR)


def _summary(plan: AwsClusterPlan, location: Location) -> str:
    training, storage, elastic = plan.training, plan.storage, plan.elastic
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
        (
            "elastic",
            f"Karpenter, up to {elastic.max_gpus} GPUs on {elastic.shape.machine_type}" if elastic else "none",
        ),
        ("API", plan.access.summary),
        *(("lost", text) for text in plan.facts["losses"]),
        *(("not built", text) for text in plan.facts["notBuilt"]),
    ]
    return "\n".join(f"{name:<10} {text}" for name, text in rows)


if __name__ == "__main__":
    main()
