"""`gpucluster telemetry`: what to watch in a standing cluster, written for the tools that watch it."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import yaml

from gpucluster.components.kubernetes.names import NAMESPACE
from gpucluster.components.kubernetes.telemetry.alerts import Watched
from gpucluster.components.kubernetes.telemetry.counters import counters_csv
from gpucluster.components.kubernetes.telemetry.dashboards import dashboards
from gpucluster.components.kubernetes.telemetry.opencost import price_sheet
from gpucluster.components.kubernetes.telemetry.rules import (
    azure_rule_group,
    gke_rules,
    prometheus_operator_rule,
    rule_file,
)
from gpucluster.components.stack_file import read_stack
from gpucluster.components.stack_plan import plan_stack
from gpucluster.cost import plan_prices
from gpucluster.cost.plan_prices import machines_usd
from gpucluster.cost.prices import BadPrices
from gpucluster.errors import InputError

__all__ = ["telemetry"]

_INPUT_ERROR = 2
_STACK = click.option("--stack", required=True, help="Stack whose labels, machines and prices are used.")


@click.group()
def telemetry() -> None:
    """Write alerts, dashboards, counters and prices for a stack's cluster."""


_FORMS: dict[str, Callable[[Watched], dict[str, Any]]] = {
    "prometheus": rule_file,
    "operator": lambda watched: prometheus_operator_rule(watched, NAMESPACE),
    "gke": gke_rules,
    "azure": azure_rule_group,
}


@telemetry.command()
@_STACK
@click.option("--format", "form", type=click.Choice(list(_FORMS)), default="prometheus", show_default=True)
def rules(stack: str, form: str) -> None:
    """Print alerts: idle and oversized GPUs in dollars an hour, broken GPUs and nodes, with the stack's labels.

    prometheus: a rule file, also for Amazon Managed Prometheus. operator: a PrometheusRule. gke: ClusterRules of Google
    Cloud's Managed Prometheus. azure: properties of a prometheusRuleGroups resource.
    """
    watched, _, _ = _watched(stack)
    click.echo(yaml.safe_dump(_FORMS[form](watched), sort_keys=False, width=120), nl=False)


@telemetry.command("dashboards")
@_STACK
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, file_okay=False), required=True, help="Folder for them."
)
def write_dashboards(stack: str, output: Path) -> None:
    """Write Grafana dashboards, one JSON file each: use, fabric, health, and cost where a price is known."""
    watched, _, _ = _watched(stack)
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name, dashboard in dashboards(watched).items():
            (output / f"{name}.json").write_text(json.dumps(dashboard, indent=2) + "\n", encoding="utf-8")
            click.echo(f"Wrote {output / name}.json", err=True)
    except OSError as error:
        click.echo(f"{output} can't be written: {error.strerror}; name another --output", err=True)
        sys.exit(_INPUT_ERROR)


@telemetry.command()
def counters() -> None:
    """Print the counters that DCGM's exporter has to collect for these alerts and dashboards."""
    click.echo(counters_csv(), nl=False)


@telemetry.command()
@_STACK
def opencost(stack: str) -> None:
    """Print the price sheet of OpenCost: every machine type that has a price in the stack's region."""
    _, cloud, region = _watched(stack)
    click.echo(price_sheet(region, machines_usd(cloud, region)), nl=False)


def _watched(stack: str) -> tuple[Watched, str, str]:
    """(what alerts say, cloud, region). Ends the program with every problem where the stack can't be used."""
    try:
        config = read_stack(stack, Path.cwd())
        plan = plan_stack(config, plan_prices)
    except (InputError, BadPrices) as error:
        click.echo(str(error), err=True)
        sys.exit(_INPUT_ERROR)
    cloud, region, watched = plan.training.shape.cloud, plan.location.region, plan.telemetry.watched
    if watched.gpu_hour_usd is None:
        machine = plan.training.shape.machine_type
        click.echo(f"no price of {machine} in {region} is known: alerts count GPUs instead of dollars", err=True)
    return watched, cloud, region
