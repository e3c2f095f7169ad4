"""Monitoring of a cluster as plain values: the same on every cloud."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from typing import Any, Final

from gpucluster.components.kubernetes.telemetry.dashboards import counters_csv
from gpucluster.components.kubernetes.telemetry.opencost import price_sheet
from gpucluster.components.kubernetes.telemetry.rules import Watched, samples_a_minute
from gpucluster.components.planning.names import NODE_GPUS
from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.cluster import ClusterSpec
from gpucluster.components.spec.operations import Alerts
from gpucluster.components.spec.pools import Elastic, Mig
from gpucluster.core.catalog.fabrics import release_of
from gpucluster.core.catalog.machines import Machine

SCRAPE_SECONDS: Final = 30
"""Scrape interval of GPU counters: NVIDIA's exporter reads DCGM every 30 seconds, so shorter intervals return the same
values twice. Source: NVIDIA/dcgm-exporter 4.5.3-4.8.2, README (DCGM_EXPORTER_INTERVAL, 30000 ms)."""

# As in the cost module: a year's hours over 12.
_MINUTES_A_MONTH: Final = 730 * 60


@dataclass(frozen=True, kw_only=True)
class TelemetryPlan:
    """watched: facts for alerts and dashboards. price_sheet: OpenCost's, None without OpenCost.
    collector: whether jobs can send their own metrics. node_health: whether a program looks for broken nodes.
    million_samples: sent by GPU counters and rules to managed Prometheus in a month of 730 hours.
    receivers: of alerts, None for none.
    """

    watched: Watched
    price_sheet: str | None
    collector: bool
    node_health: bool
    million_samples: Decimal
    receivers: Alerts | None = None


def _told(receivers: Alerts | None) -> str:
    """A webhook without its URL, which may hold a token."""
    if receivers is None:
        return "nobody until you configure a receiver"
    webhook = ["a webhook"] if receivers.webhook else []
    *others, last = [*receivers.mail, *webhook, *([receivers.topic] if receivers.topic else [])]
    return f"{', '.join(others)} and {last}" if others else last


def _gpus(training: int, mig: Mig | None, elastic: Elastic | None) -> Decimal:
    """Average number of GPUs in a month. training: of the training pool."""
    sliced = 0 if mig is None else mig.nodes * NODE_GPUS
    # Without a stated use, half of the limit counts, as in the cost of the machines.
    pools = (
        Decimal(pool.max_gpus) / 2 if pool.expected_gpus is None else pool.expected_gpus
        for pool in (elastic.pools.values() if elastic else ())
    )
    return sum(pools, Decimal(training + sliced))


def _million_samples(gpus: Decimal, watched: Watched) -> Decimal:
    a_minute = counters_csv().count("\n") * Decimal(60) / SCRAPE_SECONDS + samples_a_minute(watched)
    return (gpus * a_minute * _MINUTES_A_MONTH / 1_000_000).quantize(Decimal(1), ROUND_UP)


def plan_telemetry(
    spec: ClusterSpec, shape: Machine, planning: Planning[Any], *, metrics: str | None, maintenance: bool = False
) -> TelemetryPlan:
    """shape: of the training nodes, whose price the alerts use. metrics: the store of metrics, None if nothing collects
    them here. maintenance: whether the cloud announces planned maintenance of nodes.
    """
    region, prices = planning.location.region, planning.prices
    telemetry, health = spec.telemetry, spec.health.broken_nodes != "leave"
    bought = spec.purchase.kind
    hour = None if prices is None else prices.machine_usd(shape.cloud, region, shape.machine_type, bought)
    if metrics is not None:
        planning.notes.append(
            f"{metrics} stores GPU metrics and evaluates alerts; alerts go to {_told(telemetry.alerts)}"
        )
        if hour is None:
            what = f"no price of {shape.machine_type} in {region} is known"
            planning.notes.append(f"alerts report GPUs instead of dollars: {what}")
    sheet = None
    if telemetry.opencost:
        sheet = price_sheet(region, {} if prices is None else prices.machines_usd(shape.cloud, region))
    watched = Watched(
        labels={**spec.labels, "stack": planning.stack},
        gpus=shape.gpus,
        gpu_hour_usd=None if hour is None else hour / shape.gpus,
        fabric_gbps=shape.fabric_gbps,
        nccl_net=release_of(shape).nccl_net,
        maintenance=maintenance and health,
    )
    return TelemetryPlan(
        watched=watched,
        price_sheet=sheet,
        collector=telemetry.collector,
        node_health=health,
        million_samples=_million_samples(_gpus(spec.training.size * shape.gpus, spec.mig, spec.elastic), watched),
        receivers=telemetry.alerts,
    )
