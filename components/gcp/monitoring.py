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
from gpucluster.components.kubernetes.objects.objects import (
    CLUSTER_ROLE_BINDING,
    RBAC,
    ROLE,
    ROLE_BINDING,
    SECRET,
    SERVICE_ACCOUNT,
    Declared,
    Kind,
    manifest_of,
)
from gpucluster.components.kubernetes.telemetry.alerts import NAME, alertmanager_config, rule_file
from gpucluster.components.kubernetes.telemetry.gpu_exporter import GpuExporter
from gpucluster.components.kubernetes.telemetry.plan import (
    GPU_EXPORTER,
    QUEUEING,
    ScrapeTarget,
    TelemetryPlan,
    targets,
)

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
        karpenter: bool,
        registry: str | None,
        after: Sequence[pulumi.Resource],
        queue: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """karpenter: whether it runs in the cluster. registry: mirror of the exporter's image. after: nodes, and the
        optional software to scrape, with its namespace. queue: the software that queues jobs.
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
        scraped = [GPU_EXPORTER, *targets(plan, karpenter=karpenter)]
        for target in scraped:
            before = [*exporter.ready, *after, *(queue if target in QUEUEING else ())]
            if target.token:
                before += _token(
                    f"{name}-{target.name}", target, pulumi.ResourceOptions(parent=self, depends_on=list(queue))
                )
            Declared(
                f"{name}-{target.name}",
                manifest_of(_POD_MONITORING, _monitoring(target), object_name=target.name, namespace=target.namespace),
                pulumi.ResourceOptions(parent=self, depends_on=before),
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
    filters = [
        {"action": "keep", "sourceLabels": [label], "regex": expression} for label, expression in target.keep.items()
    ]
    secret = {"name": _READER, "key": "token"}
    return {
        "selector": {"matchLabels": dict(target.labels)},
        "endpoints": [
            {
                "port": target.port,
                "interval": f"{target.seconds}s",
                **({"scheme": "https", "tls": {"insecureSkipVerify": True}} if target.tls else {}),
                **({"authorization": {"credentials": {"secret": secret}}} if target.token else {}),
                **({"metricRelabeling": filters} if filters else {}),
            }
        ],
        "targetLabels": {"metadata": []},
    }


_READER: Final = "metrics-reader"
# Source: GoogleCloudPlatform/prometheus-engine v0.17.2, charts/operator/templates/rolebinding.yaml.
_COLLECTOR: Final = {"kind": "ServiceAccount", "name": "collector", "namespace": "gmp-system"}


def _token(name: str, target: ScrapeTarget, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """A service account that may read `/metrics`, and its token, which the managed collector may read: it sends what
    a secret in the namespace of the target holds. The role of the account is the chart's.

    Sources: GoogleCloudPlatform/prometheus-engine v0.17.2, pkg/operator/apis/monitoring/v1/http_types.go;
    templates/rbac of the charts of Kueue and JobSet in their pinned versions (metrics-reader).
    """
    inside = target.namespace
    account = {"kind": "ServiceAccount", "name": _READER, "namespace": inside}
    reader = Declared(f"{name}-reader", manifest_of(SERVICE_ACCOUNT, {}, object_name=_READER, namespace=inside), opts)
    made = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[reader]))
    secret = manifest_of(
        SECRET,
        {"type": "kubernetes.io/service-account-token"},
        object_name=_READER,
        namespace=inside,
        annotations={"kubernetes.io/service-account.name": _READER},
    )
    rules = [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": [_READER], "verbs": ["get"]}]
    return [
        Declared(
            f"{name}-token",
            secret,
            pulumi.ResourceOptions.merge(
                made, pulumi.ResourceOptions(additional_secret_outputs=["data", "stringData"])
            ),
        ),
        Declared(
            f"{name}-reads-metrics",
            manifest_of(
                CLUSTER_ROLE_BINDING,
                _binding("ClusterRole", f"{target.name}-{_READER}", account),
                object_name=f"{target.name}-gpucluster-{_READER}",
            ),
            made,
        ),
        Declared(
            f"{name}-token-role",
            manifest_of(ROLE, {"rules": rules}, object_name=_READER, namespace=inside),
            opts,
        ),
        Declared(
            f"{name}-token-binding",
            manifest_of(ROLE_BINDING, _binding("Role", _READER, _COLLECTOR), object_name=_READER, namespace=inside),
            opts,
        ),
    ]


def _binding(kind: str, role: str, subject: dict[str, str]) -> dict[str, Any]:
    return {"roleRef": {"apiGroup": RBAC, "kind": kind, "name": role}, "subjects": [subject]}


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
