"""The OpenTelemetry collector: takes what jobs measure of themselves and sends it to the cloud's managed Prometheus.

Jobs send to `http://collector.monitoring:4318` (OTLP over HTTP) or `:4317` (over gRPC); every metric gets the names of
its pod and namespace, by which alerts and dashboards find it.
Source: open-telemetry/opentelemetry-helm-charts dd5665c, charts/opentelemetry-collector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pulumi

from components.kubernetes.charts import COLLECTOR
from components.kubernetes.images import image_values
from components.kubernetes.merged import merged
from components.kubernetes.release import release
from components.kubernetes.restricted import CONTAINER, pod

__all__ = ["ACCOUNT", "PORTS", "MetricsSink", "collector"]

PORTS: Final = (4317, 4318)
ACCOUNT: Final = "collector"
"""Its service account, which the cloud's identity is given to, and its Service."""

_HERE: Final = "${env:MY_POD_IP}"
_USER: Final = 10001
# As the recordings have it; an exporter may leave out what it takes for a resource's.
_NAMES: Final = (
    'set(attributes["namespace"], resource.attributes["k8s.namespace.name"])',
    'set(attributes["pod"], resource.attributes["k8s.pod.name"])',
)


@dataclass(frozen=True, kw_only=True)
class MetricsSink:
    """Where metrics go, in the words of the collector's configuration: exporters and extensions by name.

    account_annotations, pod_labels: what gives its pods an identity of the cloud. after: what must stand before it.
    """

    exporters: Mapping[str, Any]
    extensions: Mapping[str, Any] = field(default_factory=dict[str, Any])
    account_annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])
    pod_labels: Mapping[str, str] = field(default_factory=dict[str, str])
    after: Sequence[pulumi.Resource] = ()


def collector(
    name: str,
    sink: MetricsSink,
    *,
    namespace: pulumi.Input[str],
    tolerations: Sequence[Mapping[str, str]],
    registry: str | None,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> pulumi.Resource:
    values = _values(sink, [dict(item) for item in tolerations])
    return release(
        name,
        COLLECTOR,
        release_name="collector",
        namespace=namespace,
        values=merged(values, image_values(COLLECTOR, registry)),
        after=[*after, *sink.after],
        opts=opts,
    )


def _values(sink: MetricsSink, tolerations: list[dict[str, str]]) -> dict[str, Any]:
    closed = ("jaeger-compact", "jaeger-thrift", "jaeger-grpc", "zipkin")
    return {
        "mode": "deployment",
        "fullnameOverride": ACCOUNT,
        # The core image has none of the clouds' exporters.
        "image": {"repository": "otel/opentelemetry-collector-contrib", "tag": "0.158.0"},
        "presets": {"kubernetesAttributes": {"enabled": True}},
        "ports": {port: {"enabled": False} for port in closed},
        "serviceAccount": {
            "name": ACCOUNT,
            **({"annotations": dict(sink.account_annotations)} if sink.account_annotations else {}),
        },
        **({"podLabels": dict(sink.pod_labels)} if sink.pod_labels else {}),
        "podSecurityContext": pod(_USER),
        "securityContext": CONTAINER,
        "resources": {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "512Mi"}},
        "tolerations": tolerations,
        "alternateConfig": _config(sink),
    }


def _config(sink: MetricsSink) -> dict[str, Any]:
    grpc, http = PORTS
    return {
        "receivers": {
            "otlp": {"protocols": {"grpc": {"endpoint": f"{_HERE}:{grpc}"}, "http": {"endpoint": f"{_HERE}:{http}"}}}
        },
        "processors": {
            "memory_limiter": {"check_interval": "5s", "limit_percentage": 80, "spike_limit_percentage": 25},
            "transform": {"metric_statements": [{"context": "datapoint", "statements": list(_NAMES)}]},
            "batch": {},
        },
        "exporters": dict(sink.exporters),
        "extensions": {"health_check": {"endpoint": f"{_HERE}:13133"}, **sink.extensions},
        "service": {
            "extensions": ["health_check", *sink.extensions],
            "pipelines": {
                "metrics": {
                    "receivers": ["otlp"],
                    # The preset puts k8s_attributes in front.
                    "processors": ["memory_limiter", "transform", "batch"],
                    "exporters": list(sink.exporters),
                }
            },
        },
    }
