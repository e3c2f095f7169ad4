"""What Google Cloud's Managed Prometheus reads, typed from its documentation and Google's example for DCGM."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from pulumi.runtime import rpc

from gpucluster.components.gcp.monitoring import Monitoring
from gpucluster.components.kubernetes.telemetry.alerts import Watched
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan
from gpucluster.components.labelling import labelled_objects
from gpucluster.components.spec.operations import Alerts

Registered = list[tuple[str, str, dict[str, Any]]]
Run = Callable[[Callable[[], object]], Registered]
Declare = Callable[..., dict[str, dict[str, Any]]]
LABELS = {"team": "ml"}


def monitoring(name: str, namespace: str, chart: str, *, endpoint: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "monitoring.googleapis.com/v1",
        "kind": "PodMonitoring",
        "metadata": {"name": name, "namespace": namespace, "labels": LABELS},
        "spec": {
            "selector": {"matchLabels": {"app.kubernetes.io/name": chart}},
            "endpoints": [endpoint],
            # Else the name of the exporter's pod stands in where a GPU is nobody's.
            "targetLabels": {"metadata": []},
        },
    }


GPUS = monitoring("gpu-exporter", "gpu-exporter", "dcgm-exporter", endpoint={"port": "metrics", "interval": "30s"})


@pytest.fixture
def declared(registered: Run) -> Declare:
    """Gives what stands in a cluster, by name."""

    def run(
        *,
        sheet: str | None = None,
        collector: bool = False,
        health: bool = False,
        registry: str | None = None,
        receivers: Alerts | None = None,
    ) -> dict[str, Any]:
        watched = Watched(labels={"stack": "trial"}, gpus=8, gpu_hour_usd=None)
        plan = TelemetryPlan(
            watched=watched,
            price_sheet=sheet,
            collector=collector,
            node_health=health,
            million_samples=Decimal(1),
            receivers=receivers,
        )
        found = registered(
            lambda: Monitoring(
                "monitoring", plan, registry=registry, tolerations=[], after=[], opts=labelled_objects(LABELS, None)
            )
        )
        return {name: inputs for _, name, inputs in found}

    return run


def test_an_exporter_finds_the_driver_that_gke_put_on_the_node(declared: Declare) -> None:
    release = declared()["monitoring-gpus-dcgm"]

    values = release["values"]
    assert values["securityContext"] == {"privileged": True}
    assert values["extraHostVolumes"] == [{"name": "driver", "hostPath": "/home/kubernetes/bin/nvidia"}]
    assert values["extraVolumeMounts"] == [
        {
            "name": "exporter-metrics-volume",
            "mountPath": "/etc/dcgm-exporter/default-counters.csv",
            "subPath": "default-counters.csv",
        },
        {"name": "driver", "mountPath": "/usr/local/nvidia", "readOnly": True},
    ]
    assert values["extraEnv"] == [
        {"name": "LD_LIBRARY_PATH", "value": "/usr/local/nvidia/lib64"},
        {"name": "DCGM_EXPORTER_KUBERNETES_GPU_ID_TYPE", "value": "device-name"},
    ]
    assert values["nodeSelector"] == {"nvidia.com/gpu.present": "true"}
    assert values["serviceMonitor"] == {"enabled": False}


def test_the_exporters_image_comes_from_the_mirror_where_there_is_one(declared: Declare) -> None:
    release = declared(registry="us-central1-docker.pkg.dev/p/mirror")["monitoring-gpus-dcgm"]

    assert release["values"]["image"] == {"repository": "us-central1-docker.pkg.dev/p/mirror/nvidia/k8s/dcgm-exporter"}


def test_pods_that_nothing_may_push_aside_are_let_into_the_exporters_namespace(declared: Declare) -> None:
    assert declared()["monitoring-critical"] == {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "critical-pods", "namespace": "gpu-exporter", "labels": LABELS},
        "spec": {
            "hard": {"pods": "1000000"},
            "scopeSelector": {
                "matchExpressions": [
                    {"scopeName": "PriorityClass", "operator": "In", "values": ["system-node-critical"]}
                ]
            },
        },
    }


def test_the_exporter_alone_is_read_where_nothing_else_is_asked_for(declared: Declare) -> None:
    found = declared()

    assert [inputs for inputs in found.values() if inputs.get("kind") == "PodMonitoring"] == [GPUS]


def test_what_looks_for_broken_nodes_is_read_where_it_is(declared: Declare) -> None:
    found = declared(health=True)

    assert [
        (inputs["metadata"]["namespace"], inputs["spec"]["selector"], inputs["spec"]["endpoints"])
        for name, inputs in found.items()
        if name == "monitoring-node-health"
    ] == [
        (
            "node-health",
            {"matchLabels": {"app.kubernetes.io/name": "node-health"}},
            [{"port": "metrics", "interval": "30s"}],
        )
    ]


def test_opencost_is_read_once_a_minute_and_for_its_dollars_alone_and_the_collector_for_all(declared: Declare) -> None:
    found = declared(sheet="a sheet", collector=True)

    dollars = "container_gpu_allocation|kube_namespace_labels|node_gpu_hourly_cost"
    assert [inputs for inputs in found.values() if inputs.get("kind") == "PodMonitoring"] == [
        GPUS,
        monitoring(
            "opencost",
            "monitoring",
            "opencost",
            endpoint={
                "port": "http",
                "interval": "60s",
                "metricRelabeling": [{"action": "keep", "sourceLabels": ["__name__"], "regex": dollars}],
            },
        ),
        monitoring(
            "collector", "monitoring", "opentelemetry-collector", endpoint={"port": "prometheus", "interval": "30s"}
        ),
    ]


def test_the_rules_are_the_clusters_and_name_what_the_spec_calls_it(declared: Declare) -> None:
    rules = declared()["monitoring-rules"]

    assert {key: rules[key] for key in ("apiVersion", "kind", "metadata")} == {
        "apiVersion": "monitoring.googleapis.com/v1",
        "kind": "ClusterRules",
        "metadata": {"name": "gpucluster", "labels": LABELS},
    }
    (group,) = rules["spec"]["groups"]
    assert (group["name"], group["interval"]) == ("gpucluster", "60s")
    assert [rule.get("record") or rule["alert"] for rule in group["rules"]] == [
        "gpucluster:gpu_utilisation:percent",
        "gpucluster:gpu_memory_used:ratio",
        "gpucluster:gpu_sm_active:ratio",
        "gpucluster:gpu_pcie_sent:bytes_per_second",
        "GpuIdle",
        "GpuMemoryOversized",
        "GpuUnderused",
        "GpusAskedAndNotUsed",
        "CommunicationHeavy",
        "NodeLacksGpus",
        "GpuError",
        "GpuMemoryWornOut",
        "InfiniBandPortDown",
        "NodeBroken",
        "NodeStaysBroken",
        "HealingStopped",
    ]
    assert all(rule["labels"]["stack"] == "trial" for rule in group["rules"] if "alert" in rule)


def test_the_alertmanager_of_the_cluster_posts_to_a_webhook_which_is_a_secret(declared: Declare) -> None:
    assert "monitoring-alerts" not in declared()
    secret = declared(receivers=Alerts.model_validate({"webhook": "https://alerts.example.com/s3cret"}))[
        "monitoring-alerts"
    ]

    data = secret.pop("stringData")
    assert secret == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "alertmanager", "namespace": "gmp-public", "labels": LABELS},
    }
    assert rpc.is_rpc_secret(data)
    (file, text), *others = rpc.unwrap_rpc_secret(data).items()
    assert (file, others) == ("alertmanager.yaml", [])
    assert json.loads(text) == {
        "route": {"receiver": "gpucluster", "group_by": ["alertname"]},
        "receivers": [{"name": "gpucluster", "webhook_configs": [{"url": "https://alerts.example.com/s3cret"}]}],
    }
