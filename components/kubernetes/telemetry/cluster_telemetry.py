"""Monitoring inside a cluster, the same on every cloud: dashboards, and optional OpenCost and metrics collector.

Metrics and rules differ by cloud: see `monitoring.py` of each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.objects.charts import KUBE_STATE_METRICS, OPENCOST
from gpucluster.components.kubernetes.objects.namespace import (
    RESTRICTED_CONTAINER,
    namespace,
    only_from_within,
    only_these_ports,
    restricted_pod,
)
from gpucluster.components.kubernetes.objects.objects import CONFIG_MAP, Declared, manifest_of
from gpucluster.components.kubernetes.objects.release import release
from gpucluster.components.kubernetes.telemetry.alerts import dashboards
from gpucluster.components.kubernetes.telemetry.collector import ACCOUNT, PORTS, MetricsSink, collector
from gpucluster.components.kubernetes.telemetry.plan import FLEET_WAITING_SINCE, WAITING_SINCE, TelemetryPlan
from gpucluster.components.planning.names import MONITORING, OPENCOST_PORT

_DASHBOARD = {"grafana_dashboard": "1"}
"""The label that Grafana's sidecar looks for. Source: grafana/helm-charts, charts/grafana/values.yaml
(sidecar.dashboards).
"""


class ClusterTelemetry(pulumi.ComponentResource):
    """Outputs: namespace; collector, the address for metrics that jobs send, if there is one.

    `ready`: resources with metrics to read, and their namespace.
    """

    ready: list[pulumi.Resource]

    def __init__(
        self,
        name: str,
        plan: TelemetryPlan,
        *,
        cluster_name: str,
        sink: MetricsSink | None,
        tolerations: Sequence[Mapping[str, str]],
        registry: str | None,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """sink: where a collector sends its metrics, None without one. tolerations: of OpenCost and the collector.
        registry: mirror of the images. after: nodes for both.
        """
        super().__init__("gpucluster:kubernetes:Telemetry", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        space = Declared(f"{name}-namespace", namespace(MONITORING, "restricted"), here)
        inside = space.object_name
        self.ready = [space]
        for dashboard, content in dashboards(plan.watched).items():
            Declared(
                f"{name}-dashboard-{dashboard.removeprefix('gpucluster-')}",
                manifest_of(
                    CONFIG_MAP,
                    {"data": {f"{dashboard}.json": json.dumps(content, sort_keys=True)}},
                    object_name=dashboard,
                    namespace=inside,
                    labels=_DASHBOARD,
                ),
                here,
            )
        ports = [
            *([_JOBS_PORT] if plan.watched.collected else []),
            *([OPENCOST_PORT] if plan.price_sheet else []),
            *_collectors_ports(sink),
        ]
        if ports:
            only_these_ports(f"{name}-ports", ports, namespace=inside, opts=here)
        else:
            only_from_within(f"{name}-network", namespace=inside, opts=here)
        if plan.watched.collected:
            self.ready.append(
                release(
                    f"{name}-jobs",
                    KUBE_STATE_METRICS,
                    release_name="kube-state-metrics",
                    namespace=inside,
                    values=_jobs_values([dict(item) for item in tolerations]),
                    registry=registry,
                    after=after,
                    opts=here,
                )
            )
        if plan.price_sheet is not None:
            cost = opencost(
                f"{name}-opencost",
                plan.price_sheet,
                cluster_name=cluster_name,
                namespace=inside,
                tolerations=tolerations,
                registry=registry,
                after=after,
                opts=here,
            )
            self.ready.append(cost)
        outputs: dict[str, pulumi.Input[str]] = {"namespace": inside}
        if sink is not None:
            taking = collector(
                f"{name}-collector",
                sink,
                namespace=inside,
                tolerations=tolerations,
                registry=registry,
                after=after,
                opts=here,
            )
            self.ready.append(taking)
            outputs["collector"] = f"http://{ACCOUNT}.{MONITORING}:{PORTS[1]}"
        self.register_outputs(outputs)


def _collectors_ports(sink: MetricsSink | None) -> list[int]:
    if sink is None:
        return []
    return [*PORTS, *([] if sink.read_at is None else [sink.read_at])]


_JOBS_PORT: Final = 8080


# Kueue has no metric of a job while it waits. Sources: kubernetes/kube-state-metrics v2.20.0,
# docs/metrics/extend/customresourcestate-metrics.md and pkg/customresourcestate; kubernetes-sigs/kueue v0.19.2,
# apis/kueue/v1beta2/workload_types.go: QuotaReserved is False, since its last transition, while a job waits. A job of a
# fleet has the manager's quota before it has a worker: until then the fleet's check is Pending. Its copies in workers
# have the label of their origin (apis/kueue/v1beta2/multikueue_types.go, pkg/controller/admissionchecks/multikueue).
def _jobs_values(tolerations: list[dict[str, str]]) -> dict[str, Any]:
    """Of kube-state-metrics, which reads Kueue's Workloads alone."""

    def since(path: str, condition: str, status: str) -> dict[str, Any]:
        """Of each entry of the status, by its names of the condition and the state."""
        return {
            "path": ["status", path],
            "labelsFromPath": {"condition": [condition], "status": [status]},
            "valueFrom": ["lastTransitionTime"],
        }

    workload = {
        "groupVersionKind": {"group": "kueue.x-k8s.io", "version": "v1beta2", "kind": "Workload"},
        "metricNamePrefix": "gpucluster",
        # Not `namespace`, which collectors set to that of the exporter.
        "labelsFromPath": {
            "job_namespace": ["metadata", "namespace"],
            "workload": ["metadata", "name"],
            "queue": ["spec", "queueName"],
            "priority_class": ["spec", "priorityClassRef", "name"],
            "active": ["spec", "active"],
            "finished": ["status", "conditions", "[type=Finished]", "status"],
            "origin": ["metadata", "labels", "kueue.x-k8s.io/multikueue-origin"],
        },
        "metrics": [
            {
                "name": WAITING_SINCE,
                "help": "Last change of a condition of a job's record, in seconds since 1970",
                "each": {"type": "Gauge", "gauge": since("conditions", "type", "status")},
            },
            {
                "name": FLEET_WAITING_SINCE,
                "help": "Last change of an admission check of a job's record, in seconds since 1970",
                "each": {"type": "Gauge", "gauge": since("admissionChecks", "name", "state")},
            },
        ],
    }
    config = {"kind": "CustomResourceStateMetrics", "spec": {"resources": [workload]}}
    return {
        "collectors": [],
        "extraArgs": ["--custom-resource-state-only=true"],
        "customResourceState": {"enabled": True, "config": config},
        "rbac": {
            "extraRules": [{"apiGroups": ["kueue.x-k8s.io"], "resources": ["workloads"], "verbs": ["list", "watch"]}]
        },
        # Without the annotation by which other collectors would read it, too.
        "prometheusScrape": False,
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
        "tolerations": tolerations,
    }


_PRICES: Final = "opencost-prices"
_FOLDER: Final = "/prices"
_FILE: Final = "prices.csv"
_USER: Final = 1001


# OpenCost reads usage directly from the kubelets and keeps it in memory for 15 days, so it needs no Prometheus and no
# permissions in the cloud. In the cluster it may read objects and `nodes/proxy`, by which kubelets report usage but
# which permits more: that is why it is optional. Sources: opencost/opencost-helm-chart 725bb93, charts/opencost;
# opencost/opencost pull request 3166.
def opencost(
    name: str,
    price_sheet: str,
    *,
    cluster_name: str,
    namespace: pulumi.Input[str],
    tolerations: Sequence[Mapping[str, str]],
    registry: str | None,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> pulumi.Resource:
    """price_sheet: as `price_sheet` of `telemetry.plan` writes it. cluster_name: the cluster's name in OpenCost."""
    prices = Declared(
        f"{name}-prices",
        manifest_of(CONFIG_MAP, {"data": {_FILE: price_sheet}}, object_name=_PRICES, namespace=namespace),
        opts,
    )
    values = _values(cluster_name, [dict(item) for item in tolerations])
    return release(
        name,
        OPENCOST,
        release_name="opencost",
        namespace=namespace,
        values=values,
        registry=registry,
        after=[*after, prices],
        opts=opts,
    )


def _values(cluster_name: str, tolerations: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "opencost": {
            "exporter": {
                "defaultClusterId": cluster_name,
                "collectorDataSource": {"enabled": True},
                # Source: opencost/opencost, pkg/env/costmodelenv.go.
                "extraEnv": {"USE_CSV_PROVIDER": "true", "CSV_PATH": f"{_FOLDER}/{_FILE}"},
                "extraVolumeMounts": [{"name": "prices", "mountPath": _FOLDER, "readOnly": True}],
                "securityContext": RESTRICTED_CONTAINER,
            },
            "prometheus": {"internal": {"enabled": False}},
            "mcp": {"enabled": False},
            "ui": {"enabled": False},
            "tolerations": tolerations,
        },
        "podSecurityContext": restricted_pod(_USER),
        "extraVolumes": [{"name": "prices", "configMap": {"name": _PRICES}}],
    }
