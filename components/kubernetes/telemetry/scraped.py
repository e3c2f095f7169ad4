"""Scrape targets in a cluster for the cloud's managed Prometheus, the same on every cloud."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gpucluster.components.kubernetes.telemetry.opencost import COST_METRICS
from gpucluster.components.kubernetes.telemetry.plan import SCRAPE_SECONDS, TelemetryPlan
from gpucluster.components.planning.names import EXPORTER_NAMESPACE, MONITORING


@dataclass(frozen=True, kw_only=True)
class Scraped:
    """Pods with a label, and the name of their metrics port. seconds: scrape interval.

    metrics: those to keep; all if empty.
    """

    name: str
    namespace: str
    labels: Mapping[str, str]
    port: str
    seconds: int = SCRAPE_SECONDS
    metrics: Sequence[str] = ()


def _chart(name: str) -> dict[str, str]:
    return {"app.kubernetes.io/name": name}


# Sources: templates of each chart in its pinned version, its labels for selectors and the names of its ports.
GPU_EXPORTER: Final = Scraped(
    name="gpu-exporter", namespace=EXPORTER_NAMESPACE, labels=_chart("dcgm-exporter"), port="metrics"
)
_OPENCOST: Final = Scraped(
    name="opencost", namespace=MONITORING, labels=_chart("opencost"), port="http", seconds=60, metrics=COST_METRICS
)
_COLLECTOR: Final = Scraped(
    name="collector", namespace=MONITORING, labels=_chart("opentelemetry-collector"), port="prometheus"
)


NODE_HEALTH: Final = Scraped(name="node-health", namespace="node-health", labels=_chart("node-health"), port="metrics")


def options_scraped(plan: TelemetryPlan) -> list[Scraped]:
    """Targets by options of the spec: broken nodes, OpenCost's dollars, and job metrics at a collector to scrape."""
    return [
        *([NODE_HEALTH] if plan.node_health else []),
        *([_OPENCOST] if plan.price_sheet is not None else []),
        *([_COLLECTOR] if plan.collector else []),
    ]
