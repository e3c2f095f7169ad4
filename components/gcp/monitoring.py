"""Scrape targets and alert rules of Google Cloud's Managed Prometheus in the cluster.

GKE's own DCGM exporter stays off: it reports neither GPU errors nor memory errors, and with two exporters the same
counters would be billed twice.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import pulumi
from pydantic import SecretStr

from gpucluster.components.kubernetes.objects.namespace import NODE_CRITICAL, critical_pods
from gpucluster.components.kubernetes.objects.objects import SECRET, Declared, Kind, manifest_of
from gpucluster.components.kubernetes.telemetry.alerts import NAME, alertmanager_config, rule_file
from gpucluster.components.kubernetes.telemetry.gpu_exporter import GpuExporter
from gpucluster.components.kubernetes.telemetry.plan import GPU_EXPORTER, ScrapeTarget, TelemetryPlan, optional_targets

# Source: GoogleCloudPlatform/prometheus-engine v0.17.2, charts/operator/crds.
_CLUSTER_RULES: Final = Kind("monitoring.googleapis.com/v1", "ClusterRules")
_POD_MONITORING: Final = Kind("monitoring.googleapis.com/v1", "PodMonitoring")

# Path of GKE's driver on a node. Source: GoogleCloudPlatform/prometheus-engine v0.17.2,
# examples/nvidia-dcgm/exporter.yaml.
_DRIVER: Final = "/home/kubernetes/bin/nvidia"


class Monitoring(pulumi.ComponentResource):
    """Outputs: monitors, the names of the objects that request metrics.

    Alerts go to the cluster's managed Alertmanager, which has no receiver until a secret configures one.
    Source: GoogleCloudPlatform/prometheus-engine v0.17.2, pkg/operator/operator_config.go, manifests/operator.yaml.
    """

    def __init__(
        self,
        name: str,
        plan: TelemetryPlan,
        *,
        registry: str | None,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """registry: mirror of the exporter's image. after: nodes, and the optional software to scrape, with its
        namespace.
        """
        super().__init__("gpucluster:gcp:Monitoring", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        exporter = GpuExporter(
            f"{name}-gpus",
            driver_folder=_DRIVER,
            registry=registry,
            after=after,
            opts=here,
        )
        critical_pods(f"{name}-critical", NODE_CRITICAL, namespace=exporter.namespace, opts=here)
        scraped = [GPU_EXPORTER, *optional_targets(plan)]
        for target in scraped:
            Declared(
                f"{name}-{target.name}",
                manifest_of(_POD_MONITORING, _monitoring(target), object_name=target.name, namespace=target.namespace),
                pulumi.ResourceOptions(parent=self, depends_on=[*exporter.ready, *after]),
            )
        Declared(
            f"{name}-rules",
            manifest_of(_CLUSTER_RULES, rule_file(plan.watched), object_name=NAME),
            pulumi.ResourceOptions(parent=self, depends_on=list(after)),
        )
        if plan.receivers is not None and plan.receivers.webhook is not None:
            _alertmanager_secret(f"{name}-alerts", plan.receivers.webhook, after=after, opts=here)
        self.register_outputs({"monitors": [target.name for target in scraped]})


def _monitoring(target: ScrapeTarget) -> dict[str, Any]:
    """No label names the scraped pod: each target itself names the pods that hold a GPU, cost dollars or sent a metric.
    Otherwise, if it names none, the scraped pod would appear instead, and eight free GPUs would look like a job that
    leaves them idle.
    """
    metric_filter = {"action": "keep", "sourceLabels": ["__name__"], "regex": "|".join(target.metrics)}
    return {
        "selector": {"matchLabels": dict(target.labels)},
        "endpoints": [
            {
                "port": target.port,
                "interval": f"{target.seconds}s",
                **({"metricRelabeling": [metric_filter]} if target.metrics else {}),
            }
        ],
        "targetLabels": {"metadata": []},
    }


# Read by the operator of managed Prometheus, in the namespace that it creates. Source: GoogleCloudPlatform/
# prometheus-engine v0.17.2, pkg/operator/operator_config.go (AlertmanagerPublicSecretName, ...Key).
_NAMESPACE: Final = "gmp-public"
_NAME: Final = "alertmanager"
_KEY: Final = "alertmanager.yaml"


def _alertmanager_secret(
    name: str,
    webhook: SecretStr,
    *,
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> Declared:
    """Its configuration to post to a webhook. after: nodes, with which the operator and its namespace are created.
    JSON is valid YAML.
    """
    config = alertmanager_config({"webhook_configs": [{"url": webhook.get_secret_value()}]})
    return Declared(
        name,
        manifest_of(
            SECRET,
            {"stringData": pulumi.Output.secret({_KEY: json.dumps(config, indent=2)})},
            object_name=_NAME,
            namespace=_NAMESPACE,
        ),
        pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(depends_on=list(after), additional_secret_outputs=["data", "stringData"])
        ),
    )


def query_endpoint(project: str) -> str:
    """URL for metrics queries of Grafana and others in a project.

    Source: Cloud Monitoring API v1, projects.location.prometheus.api.v1.query.
    """
    return f"https://monitoring.googleapis.com/v1/projects/{project}/location/global/prometheus"
