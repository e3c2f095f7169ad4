"""What managed Prometheus reads inside an AKS cluster, typed from its add-on's documentation."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
import yaml

from gpucluster.components.azure.monitoring import MetricsCollection
from gpucluster.components.kubernetes.telemetry.alerts import Watched
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan
from gpucluster.components.resources.label_transformation import labelled_objects

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]
Declare = Callable[..., dict[str, dict[str, Any]]]


@pytest.fixture
def declared(registered: Run) -> Declare:
    """The objects of a cluster, by name."""

    def run(
        *, infiniband: bool = False, sheet: str | None = None, collector: bool = False, health: bool = False
    ) -> dict[str, Any]:
        watched = Watched(labels={}, gpus=8, gpu_hour_usd=None)
        plan = TelemetryPlan(
            watched=watched,
            price_sheet=sheet,
            collector=collector,
            node_health=health,
            million_samples=Decimal(1),
            bought=(),
        )
        found = registered(
            lambda: MetricsCollection(
                "metrics", plan, infiniband=infiniband, after=[], queue=[], opts=labelled_objects({"team": "ml"}, None)
            )
        )
        return {name: inputs for _, name, inputs in found}

    return run


def test_with_infiniband_its_counters_are_kept_too(declared: Declare) -> None:
    found = declared(infiniband=True)

    assert sorted(found) == [
        "metrics-jobs",
        "metrics-jobset",
        "metrics-jobset-service",
        "metrics-kueue",
        "metrics-kueue-service",
        "metrics-nvidia-dcgm-exporter",
        "metrics-settings",
        "metrics-trainer",
    ]
    settings = found["metrics-settings"]
    assert settings["metadata"] == {
        "name": "ama-metrics-settings-configmap",
        "namespace": "kube-system",
        "labels": {"team": "ml"},
    }
    assert (settings["data"]["schema-version"], settings["data"]["config-version"]) == ("v2", "ver1")
    sections = yaml.safe_load(settings["data"]["cluster-metrics"])
    assert sections == {
        "default-targets-metrics-keep-list": (
            'nodeexporter = "node_infiniband_state_id|node_infiniband_port_data_(received|transmitted)_bytes_total"'
        ),
        "minimal-ingestion-profile": "enabled = true",
    }


def test_each_section_of_the_settings_is_headed_as_the_add_on_reads_it(declared: Declare) -> None:
    """It reads lines, not YAML: a section begins with a line that ends so, and the others are pairs."""
    lines = declared(infiniband=True)["metrics-settings"]["data"]["cluster-metrics"].splitlines()

    assert [line.endswith(": |-") or " = " in line for line in lines] == [True] * 4


def test_the_add_on_reads_kueue_with_its_own_token_through_a_service(declared: Declare) -> None:
    found = declared()

    service, monitor = found["metrics-kueue-service"], found["metrics-kueue"]
    assert service["metadata"] == {
        "name": "gpucluster-metrics",
        "namespace": "kueue-system",
        "labels": {"team": "ml", "gpucluster-metrics": "kueue"},
    }
    assert service["spec"] == {
        "clusterIP": "None",
        "selector": {"app.kubernetes.io/name": "kueue"},
        "ports": [{"name": "metrics", "port": 8443, "targetPort": "metrics"}],
    }
    assert (monitor["kind"], monitor["spec"]["selector"]) == (
        "ServiceMonitor",
        {"matchLabels": {"gpucluster-metrics": "kueue"}},
    )
    [endpoint] = monitor["spec"]["endpoints"]
    kept = [rule["sourceLabels"] for rule in endpoint.pop("metricRelabelings")]
    assert kept == [["resource"], ["status"], ["__name__"]]
    assert endpoint == {
        "port": "metrics",
        "interval": "60s",
        "relabelings": [{"action": "labeldrop", "regex": "container|namespace|pod"}],
        "scheme": "https",
        "tlsConfig": {"insecureSkipVerify": True},
        "bearerTokenFile": "/var/run/secrets/kubernetes.io/serviceaccount/token",
    }


def test_trainer_asks_for_no_token_and_gets_none(declared: Declare) -> None:
    monitor = declared()["metrics-trainer"]

    [endpoint] = monitor["spec"]["podMetricsEndpoints"]
    assert (monitor["kind"], endpoint["scheme"]) == ("PodMonitor", "https")
    assert "bearerTokenFile" not in endpoint
