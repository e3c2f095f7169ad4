"""`gpucluster telemetry`: writes alerts, dashboards, counters and prices for monitoring tools."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import yaml

from gpucluster.components.kubernetes.telemetry.alerts import (
    Watched,
    azure_rule_groups,
    counters_csv,
    dashboards,
    gke_rules,
    prometheus_operator_rule,
    rule_file,
)
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan, node_prices, price_sheet
from gpucluster.components.planning.names import NAMESPACE
from gpucluster.components.stack.stack_config import read_stack
from gpucluster.components.stack.stack_plan import plan_stack
from gpucluster.cost.pricing import plan_prices
from gpucluster.errors import InputError
from gpucluster.options import form_of, stack_option

_STACK = stack_option("Stack whose labels, machines and prices to use.", required=True)


_FORMS: dict[str, Callable[[Watched], list[dict[str, Any]]]] = {
    "prometheus": lambda watched: [rule_file(watched)],
    "operator": lambda watched: [prometheus_operator_rule(watched, NAMESPACE)],
    "gke": lambda watched: [gke_rules(watched)],
    "azure": lambda watched: [*azure_rule_groups(watched).values()],
}


@click.command()
@_STACK
@form_of(*_FORMS)
def rules(stack: str, form: str) -> None:
    """Print alerts.

    Alerts on idle and oversized GPUs, in dollars an hour, on broken GPUs and nodes, and on the queue, with the stack's
    labels.

    prometheus: a rule file, also for Amazon Managed Prometheus. operator: a PrometheusRule. gke: ClusterRules of Google
    Cloud's Managed Prometheus. azure: properties of two prometheusRuleGroups resources, a document each.
    """
    telemetry, _, _ = _planned(stack)
    click.echo(yaml.safe_dump_all(_FORMS[form](telemetry.watched), sort_keys=False, width=120), nl=False)


@click.command("dashboards")
@_STACK
@click.option(
    "--output",
    "-o",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder to write to; created if missing.",
)
def write_dashboards(stack: str, output: Path) -> None:
    """Write Grafana dashboards.

    One JSON file each: use, fabric, health, queue, and cost if a price is known.
    """
    telemetry, _, _ = _planned(stack)
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name, dashboard in dashboards(telemetry.watched).items():
            (output / f"{name}.json").write_text(json.dumps(dashboard, indent=2) + "\n", encoding="utf-8")
            click.echo(f"Wrote {output / name}.json", err=True)
    except OSError as error:
        raise InputError(f"{output} can't be written: {error.strerror}; give another --output") from None


@click.command()
def counters() -> None:
    """Print DCGM counters to collect.

    DCGM's exporter needs them for the alerts and dashboards.
    """
    click.echo(counters_csv(), nl=False)


@click.command()
@_STACK
def opencost(stack: str) -> None:
    """Print a price sheet for OpenCost.

    It has every machine type with an on-demand price in the stack's region, and the machines of its pools at the price
    of the way they are bought, your own prices first.
    """
    telemetry, cloud, region = _planned(stack)
    click.echo(price_sheet(region, node_prices(telemetry.bought, cloud, region, plan_prices)), nl=False)


def _planned(stack: str) -> tuple[TelemetryPlan, str, str]:
    """(the plan of monitoring, cloud, region). Raises InputError with every problem if the stack can't be used."""
    plan = plan_stack(read_stack(stack, Path.cwd()), plan_prices)
    region, telemetry = plan.location.region, plan.telemetry
    if telemetry.watched.gpu_hour_usd is None:
        machine = plan.training.shape.machine_type
        click.echo(f"no price of {machine} in {region} is known: alerts report GPUs instead of dollars", err=True)
    return telemetry, plan.training.shape.cloud, region
