"""Where the collector of jobs' metrics puts what it gets, typed from its chart and its exporters' documentation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from gpucluster.components.kubernetes.telemetry.collector import READ, MetricsSink, collector

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]


@pytest.fixture
def values(registered: Run) -> Callable[[MetricsSink], dict[str, Any]]:
    """What the chart is given for a sink."""

    def run(sink: MetricsSink) -> dict[str, Any]:
        found = registered(
            lambda: collector(
                "collector",
                sink,
                namespace="monitoring",
                tolerations=[],
                registry=None,
                after=[],
                opts=pulumi.ResourceOptions(),
            )
        )
        return {name: inputs for _, name, inputs in found}["collector"]["values"]

    return run


def test_a_collector_that_is_read_tells_its_metrics_on_a_port_with_a_name(values: Any) -> None:
    found = values(READ)

    assert found["ports"]["prometheus"] == {
        "enabled": True,
        "containerPort": 8889,
        "servicePort": 8889,
        "protocol": "TCP",
    }
    assert found["alternateConfig"]["exporters"] == {
        "prometheus": {"endpoint": "${env:MY_POD_IP}:8889", "add_metric_suffixes": False}
    }
    assert found["alternateConfig"]["service"]["pipelines"]["metrics"]["exporters"] == ["prometheus"]
    assert found["serviceAccount"] == {"name": "collector"}


def test_a_collector_that_sends_has_no_port_to_be_read_at(values: Any) -> None:
    sent = {"prometheusremotewrite": {"endpoint": "https://metrics.example/write"}}

    found = values(MetricsSink(exporters=sent, account_annotations={"role": "writer"}))

    assert sorted(found["ports"]) == ["jaeger-compact", "jaeger-grpc", "jaeger-thrift", "zipkin"]
    assert found["alternateConfig"]["exporters"] == sent
    assert found["serviceAccount"] == {"name": "collector", "annotations": {"role": "writer"}}
