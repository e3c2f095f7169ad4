"""The OpenTelemetry collector: receives metrics of jobs and sends them to the cloud's managed Prometheus.

Jobs send to `http://collector.monitoring:4318` (OTLP over HTTP) or `:4317` (over gRPC); every metric is labelled with
the names of its pod and namespace, by which alerts and dashboards find it. Clouds differ in the destination alone, the
`MetricsSink`.
Source: open-telemetry/opentelemetry-helm-charts dd5665c, charts/opentelemetry-collector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.objects.charts import COLLECTOR
from gpucluster.components.kubernetes.objects.namespace import RESTRICTED_CONTAINER, restricted_pod
from gpucluster.components.kubernetes.objects.release import release

PORTS: Final = (4317, 4318)
"""OTLP over gRPC and over HTTP."""
ACCOUNT: Final = "collector"
"""Name of its service account, which gets the cloud's identity, and of its Service."""
HERE: Final = "${env:MY_POD_IP}"
"""The collector's own address, in its configuration."""


@dataclass(frozen=True, kw_only=True)
class MetricsSink:
    """Destination of metrics, in the format of the collector's configuration: exporters and extensions by name.

    account_annotations, pod_labels: give its pods an identity of the cloud. read_at: port to scrape, if it does not
    send its metrics. after: must exist before it.
    """

    exporters: Mapping[str, Any]
    read_at: int | None = None
    extensions: Mapping[str, Any] = field(default_factory=dict[str, Any])
    account_annotations: Mapping[str, Any] = field(default_factory=dict[str, Any])
    pod_labels: Mapping[str, str] = field(default_factory=dict[str, str])
    after: Sequence[pulumi.Resource] = ()


_READ_AT: Final = 8889
READ: Final = MetricsSink(
    exporters={"prometheus": {"endpoint": f"{HERE}:{_READ_AT}", "add_metric_suffixes": False}}, read_at=_READ_AT
)
"""For a cloud that scrapes pods: the collector needs neither an identity of the cloud nor an address in it.

A job's last values are reported for 5 minutes more (opentelemetry-collector-contrib, exporter/prometheusexporter).
"""


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
        "podSecurityContext": restricted_pod(_USER),
        "securityContext": RESTRICTED_CONTAINER,
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
