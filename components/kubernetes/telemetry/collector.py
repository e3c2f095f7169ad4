"""The OpenTelemetry collector: receives metrics of jobs and sends them to the cloud's managed Prometheus.

Jobs send to `http://collector.monitoring:4318` (OTLP over HTTP) or `:4317` (over gRPC); every metric is labelled with
the names of its pod and namespace, by which alerts and dashboards find it.
Source: open-telemetry/opentelemetry-helm-charts dd5665c, charts/opentelemetry-collector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.objects.charts import COLLECTOR
from gpucluster.components.kubernetes.objects.release import release
from gpucluster.components.kubernetes.objects.restricted import CONTAINER, pod
from gpucluster.components.kubernetes.telemetry.metrics_sink import ACCOUNT, HERE, PORTS, MetricsSink

# Not from Docker Hub, which also has it but limits pulls per address.
# Source: open-telemetry/opentelemetry-collector-releases, cmd/goreleaser/internal/configure.go.
_IMAGE: Final = "ghcr.io/open-telemetry/opentelemetry-collector-releases/opentelemetry-collector-contrib"
_USER: Final = 10001
# As the recordings spell them; an exporter may omit attributes of the resource.
_NAMES: Final = (
    'set(attributes["namespace"], resource.attributes["k8s.namespace.name"])',
    'set(attributes["pod"], resource.attributes["k8s.pod.name"])',
)


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
        values=values,
        registry=registry,
        after=[*after, *sink.after],
        opts=opts,
    )


def _values(sink: MetricsSink, tolerations: list[dict[str, str]]) -> dict[str, Any]:
    closed = ("jaeger-compact", "jaeger-thrift", "jaeger-grpc", "zipkin")
    return {
        "mode": "deployment",
        "fullnameOverride": ACCOUNT,
        # The core image has none of the clouds' exporters.
        "image": {"repository": _IMAGE, "tag": "0.158.0"},
        "presets": {"kubernetesAttributes": {"enabled": True}},
        "ports": {**{port: {"enabled": False} for port in closed}, **_read_port(sink)},
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


def _read_port(sink: MetricsSink) -> dict[str, Any]:
    """The port by its name, for a scraper; also a port of the Service."""
    if sink.read_at is None:
        return {}
    numbers = {"containerPort": sink.read_at, "servicePort": sink.read_at}
    return {"prometheus": {"enabled": True, **numbers, "protocol": "TCP"}}


def _config(sink: MetricsSink) -> dict[str, Any]:
    grpc, http = PORTS
    return {
        "receivers": {
            "otlp": {"protocols": {"grpc": {"endpoint": f"{HERE}:{grpc}"}, "http": {"endpoint": f"{HERE}:{http}"}}}
        },
        "processors": {
            "memory_limiter": {"check_interval": "5s", "limit_percentage": 80, "spike_limit_percentage": 25},
            "transform": {"metric_statements": [{"context": "datapoint", "statements": list(_NAMES)}]},
            "batch": {},
        },
        "exporters": dict(sink.exporters),
        "extensions": {"health_check": {"endpoint": f"{HERE}:13133"}, **sink.extensions},
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
