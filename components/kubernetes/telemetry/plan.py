"""Monitoring of a cluster as plain values: the same on every cloud."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_UP, Decimal
from typing import Any, Final

from gpucluster.components.kubernetes.telemetry.alerts import Watched, counters_csv, samples_per_minute
from gpucluster.components.planning.names import EXPORTER_NAMESPACE, FLEET, MONITORING, NODE_GPUS, SYSTEM_NAMESPACE
from gpucluster.components.planning.planning import Planning, Prices
from gpucluster.components.shared.machine_choice import elastic_shape
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
    """watched: facts for alerts and dashboards. bought: machine types of the pools, and how each is bought, in order of
    preference. price_sheet: OpenCost's, None without OpenCost.
    collector: whether jobs can send their own metrics. node_health: whether a program looks for broken nodes.
    million_samples: sent by GPU counters, queues and rules to managed Prometheus in a month of 730 hours.
    receivers: of alerts, None for none.
    """

    watched: Watched
    bought: Sequence[tuple[str, Sequence[str]]]
    price_sheet: str | None
    collector: bool
    node_health: bool
    million_samples: Decimal
    receivers: Alerts | None = None


def _receivers_text(receivers: Alerts | None) -> str:
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


_QUEUE_SERIES: Final = 30
"""Of a queue, at the most that is usual, once a minute: 2 of the number of waiting jobs, 1 of its state, 2 of its GPUs,
for each of 3 priorities and none 2 of the wait, 5 of evictions, 12 jobs that wait."""
_SOFTWARE_SERIES: Final = 10
"""Of Trainer, JobSet and Karpenter: errors of two controllers, a failed job each, a pool without machines each."""


def _queues(spec: ClusterSpec) -> int:
    """One of each pool, and one more for each team."""
    pools = 1 + (spec.mig is not None) + len(spec.elastic.pools if spec.elastic else ())
    return pools * (1 + len(spec.teams))


def _million_samples(gpus: Decimal, queues: int, watched: Watched) -> Decimal:
    of_a_gpu = counters_csv().count("\n") * Decimal(60) / SCRAPE_SECONDS + samples_per_minute(watched)
    a_minute = gpus * of_a_gpu + queues * _QUEUE_SERIES + _SOFTWARE_SERIES
    return (a_minute * _MINUTES_A_MONTH / 1_000_000).quantize(Decimal(1), ROUND_UP)


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
            f"{metrics} stores GPU metrics and evaluates alerts; alerts go to {_receivers_text(telemetry.alerts)}"
        )
        if hour is None:
            what = f"no price of {shape.machine_type} in {region} is known"
            planning.notes.append(f"alerts report GPUs instead of dollars: {what}")
    pools: list[tuple[str, Sequence[str]]] = [(shape.machine_type, (spec.purchase.kind,))]
    if spec.elastic:
        pools += [
            (elastic_shape(shape.cloud, spec.accelerator).machine_type, pool.purchase)
            for pool in spec.elastic.pools.values()
        ]
    sheet = None
    if telemetry.opencost:
        sheet = price_sheet(region, {} if prices is None else node_prices(pools, shape.cloud, region, prices))
    watched = Watched(
        labels={**spec.labels, "stack": planning.stack},
        gpus=shape.gpus,
        gpu_hour_usd=None if hour is None else hour / shape.gpus,
        fabric_gbps=shape.fabric_gbps,
        nccl_net=release_of(shape).nccl_net,
        maintenance=maintenance and health,
        collected=metrics is not None,
    )
    return TelemetryPlan(
        watched=watched,
        bought=tuple(pools),
        price_sheet=sheet,
        collector=telemetry.collector,
        node_health=health,
        million_samples=_million_samples(
            _gpus(spec.training.size * shape.gpus, spec.mig, spec.elastic), _queues(spec), watched
        ),
        receivers=telemetry.alerts,
    )


_OTHERS: Final = ("on-demand", "spot", "flex-start")


def node_prices(
    bought: Sequence[tuple[str, Sequence[str]]], cloud: str, region: str, prices: Prices
) -> Mapping[str, Decimal]:
    """Machine type -> USD per hour: on demand, and for machines of the pools as they are bought.

    OpenCost has one price for a machine type of a region (opencost/opencost 11d3017, pkg/cloud/provider/csvprovider.go,
    NodeClassPricing): if pools buy it in several ways, the dearest counts. A machine that is not sold in the way of its
    pool has the price of another.
    """
    of_pools: dict[str, Decimal] = {}
    for machine, purchases in bought:
        usd = (prices.machine_usd(cloud, region, machine, purchase) for purchase in (*purchases, *_OTHERS))
        hour = next((one for one in usd if one is not None), None)
        if hour is not None:
            of_pools[machine] = max(hour, of_pools.get(machine, hour))
    return dict(sorted({**prices.machines_usd(cloud, region), **of_pools}.items()))


_COLUMNS = (
    "EndTimestamp",
    "InstanceID",
    "Region",
    "AssetClass",
    "InstanceIDField",
    "InstanceType",
    "MarketPriceHourly",
    "Version",
)
COST_METRICS: Final = ("container_gpu_allocation", "kube_namespace_labels", "node_gpu_hourly_cost")
"""OpenCost's metrics that the cost dashboard reads."""
_BY = "metadata.labels.node.kubernetes.io/instance-type"


def price_sheet(region: str, machines: Mapping[str, Decimal]) -> str:
    """The price sheet for OpenCost, so that it allocates costs at the prices of the plan.

    Source: opencost/opencost, docs on CSV pricing and configs/pricing_schema.csv.

    machines: machine type -> USD per hour; nodes are found by the label with their type."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for machine, usd in machines.items():
        writer.writerow(("", machine, region, "node", _BY, machine, f"{usd.normalize():f}", "v1"))
    return text.getvalue()


@dataclass(frozen=True, kw_only=True)
class ScrapeTarget:
    """Pods with a label, and the name of their metrics port. seconds: scrape interval.

    keep: label -> expression that its values must match, `__name__` for the name of a metric; all if empty.
    tls: HTTPS with a certificate that the program signed itself. token: whether it answers only a service account that
    may read `/metrics`.
    """

    name: str
    namespace: str
    labels: Mapping[str, str]
    port: str
    seconds: int = SCRAPE_SECONDS
    keep: Mapping[str, str] = field(default_factory=dict[str, str])
    tls: bool = False
    token: bool = False


def _chart(name: str) -> dict[str, str]:
    return {"app.kubernetes.io/name": name}


# Sources: templates of each chart in its pinned version, its labels for selectors and the names of its ports.
GPU_EXPORTER: Final = ScrapeTarget(
    name="gpu-exporter", namespace=EXPORTER_NAMESPACE, labels=_chart("dcgm-exporter"), port="metrics"
)
OPENCOST: Final = ScrapeTarget(
    name="opencost",
    namespace=MONITORING,
    labels=_chart("opencost"),
    port="http",
    seconds=60,
    keep={"__name__": "|".join(COST_METRICS)},
)
COLLECTOR: Final = ScrapeTarget(
    name="collector", namespace=MONITORING, labels=_chart("opentelemetry-collector"), port="prometheus"
)


NODE_HEALTH: Final = ScrapeTarget(
    name="node-health", namespace="node-health", labels=_chart("node-health"), port="metrics"
)

# Queues change slowly, and every sample costs money: once a minute, and only what alerts and the dashboard read.
# Sources: kubernetes-sigs/kueue v0.19.2, pkg/metrics/metrics.go and cmd/kueue/main.go; kubernetes-sigs/jobset v0.12.0,
# pkg/metrics/metrics.go and main.go (HTTPS, and only for who may read /metrics); kubeflow/trainer v2.2.1,
# pkg/config/config.go and pkg/controller (HTTPS for everybody, and no metrics but its framework's);
# kubernetes-sigs/controller-runtime v0.24.1, pkg/internal/controller/metrics.
KUEUE: Final = ScrapeTarget(
    name="kueue",
    namespace="kueue-system",
    labels=_chart("kueue"),
    port="metrics",
    seconds=60,
    keep={
        "resource": "|nvidia[.]com/.+",
        "status": "|active|inadmissible",
        "__name__": "kueue_(pending_workloads|cluster_queue_(status|nominal_quota|resource_usage)"
        "|evicted_workloads_total|admission_wait_time_seconds_(count|sum))",
    },
    tls=True,
    token=True,
)
JOBSET: Final = ScrapeTarget(
    name="jobset",
    namespace="jobset-system",
    labels=_chart("jobset"),
    port="metrics",
    seconds=60,
    keep={"controller": "|jobset", "__name__": "jobset_failed_total|controller_runtime_reconcile_errors_total"},
    tls=True,
    token=True,
)
TRAINER: Final = ScrapeTarget(
    name="trainer",
    namespace="kubeflow-system",
    labels=_chart("kubeflow-trainer"),
    port="metrics",
    seconds=60,
    keep={"controller": "trainjob_controller", "__name__": "controller_runtime_reconcile_errors_total"},
    tls=True,
)
# Source: charts/karpenter of both providers in their pinned versions; kubernetes-sigs/karpenter v1.13.0 and v1.15.0,
# pkg/metrics/metrics.go. AKS runs its Karpenter outside the cluster.
KARPENTER: Final = ScrapeTarget(
    name="karpenter",
    namespace=SYSTEM_NAMESPACE,
    labels=_chart("karpenter"),
    port="http-metrics",
    seconds=60,
    keep={"reason": "insufficient_capacity", "__name__": "karpenter_nodeclaims_disrupted_total"},
)
QUEUEING: Final = (KUEUE, JOBSET, TRAINER)
WAITING_SINCE: Final = "job_waiting_since_seconds"
"""Since when a job has had no place, in seconds since 1970, of each condition of Kueue's record of it."""
FLEET_WAITING_SINCE: Final = "fleet_job_waiting_since_seconds"
"""Since when a job of a fleet has had no worker, in the manager, in seconds since 1970, of each admission check."""
# Only jobs that wait, of the priorities with a limit: a finished or stopped one keeps its condition. A job of a fleet
# counts in the manager, not its copies in the workers that have no place for it.
JOBS: Final = ScrapeTarget(
    name="jobs",
    namespace=MONITORING,
    labels=_chart("kube-state-metrics"),
    port="http",
    seconds=60,
    keep={
        "condition": f"QuotaReserved|{FLEET}",
        "status": "False|Pending",
        "active": "true",
        "finished": "|False",
        "origin": "()",  # empty; some collectors read $ as a variable
        "priority_class": "high|medium",
        "__name__": f"gpucluster_({WAITING_SINCE}|{FLEET_WAITING_SINCE})",
    },
)


def targets(plan: TelemetryPlan, *, karpenter: bool) -> list[ScrapeTarget]:
    """All but the GPUs' own: the queue and its jobs, and by options of the spec broken nodes, OpenCost's dollars and
    jobs' metrics.

    karpenter: whether it runs in the cluster.
    """
    return [
        *QUEUEING,
        JOBS,
        *([KARPENTER] if karpenter else []),
        *([NODE_HEALTH] if plan.node_health else []),
        *([OPENCOST] if plan.price_sheet is not None else []),
        *([COLLECTOR] if plan.collector else []),
    ]
