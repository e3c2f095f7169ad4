"""Metrics of the cluster: Azure's managed Prometheus, its scrape targets, rules and receivers of alerts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pulumi
from pulumi_azure_native import alertsmanagement, monitor

from gpucluster.components.azure.control_plane import ControlPlane
from gpucluster.components.kubernetes.objects.objects import CONFIG_MAP, SERVICE, Declared, Kind, manifest_of
from gpucluster.components.kubernetes.telemetry.alerts import Watched, azure_rule_groups
from gpucluster.components.kubernetes.telemetry.plan import QUEUEING, ScrapeTarget, TelemetryPlan, targets
from gpucluster.components.planning.labels import EXPECTED_SAMPLES
from gpucluster.components.planning.names import SYSTEM_NAMESPACE
from gpucluster.components.spec.operations import Alerts

_STREAM = "Microsoft-PrometheusMetrics"
_DESTINATION = "workspace"


class Monitoring(pulumi.ComponentResource):
    """Outputs: workspace_id, query_endpoint: for queries of Grafana and others.

    Source: Azure Monitor documentation, "Enable monitoring for Kubernetes clusters" (its Bicep template).
    """

    workspace_id: pulumi.Output[str]
    query_endpoint: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        *,
        group: pulumi.Input[str],
        control_plane: ControlPlane,
        plan: TelemetryPlan,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:azure:Monitoring", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self)
        workspace = monitor.AzureMonitorWorkspace(f"{name}-workspace", resource_group_name=group, opts=here)
        endpoint = monitor.DataCollectionEndpoint(
            f"{name}-endpoint",
            resource_group_name=group,
            kind="Linux",
            network_acls=monitor.DataCollectionEndpointNetworkAclsArgs(public_network_access="Enabled"),
            opts=here,
        )
        rule = monitor.DataCollectionRule(
            f"{name}-rule",
            resource_group_name=group,
            kind="Linux",
            data_collection_endpoint_id=endpoint.id,
            data_sources=monitor.DataCollectionRuleDataSourcesArgs(
                prometheus_forwarder=[monitor.PrometheusForwarderDataSourceArgs(name="prometheus", streams=[_STREAM])]
            ),
            destinations=monitor.DataCollectionRuleDestinationsArgs(
                monitoring_accounts=[
                    monitor.MonitoringAccountDestinationArgs(account_resource_id=workspace.id, name=_DESTINATION)
                ]
            ),
            data_flows=[monitor.DataFlowArgs(streams=[_STREAM], destinations=[_DESTINATION])],
            # Not on the cluster: AKS would work on it for minutes, and lock its pools, whenever the number changes.
            tags={EXPECTED_SAMPLES: f"{plan.million_samples:f}"},
            opts=here,
        )
        monitor.DataCollectionRuleAssociation(
            f"{name}-association",
            resource_uri=control_plane.cluster.id,
            data_collection_rule_id=rule.id,
            opts=here,
        )
        alert_rules(
            f"{name}-alerts",
            plan.watched,
            action_group_ids=action_groups(f"{name}-receivers", plan.receivers, group=group, opts=here),
            group=group,
            workspace_id=workspace.id,
            control_plane=control_plane,
            opts=here,
        )
        self.workspace_id = workspace.id
        self.query_endpoint = workspace.metrics.apply(_endpoint)
        self.register_outputs({"workspaceId": workspace.id, "queryEndpoint": self.query_endpoint})


def _endpoint(metrics: monitor.outputs.AzureMonitorWorkspaceResponseMetrics | None) -> str:
    """Empty if an update of other targets excludes the workspace."""
    return metrics.prometheus_query_endpoint if metrics is not None else ""


# At most 12 characters, shown in mails. Source: Azure Monitor documentation, "Action groups".
_SHORT_NAME: Final = "gpucluster"


def action_groups(
    name: str, receivers: Alerts | None, *, group: pulumi.Input[str], opts: pulumi.ResourceOptions
) -> list[pulumi.Input[str]]:
    """Ids of the groups that notify the receivers: the cluster's own for mail and webhook, and the user's. Messages
    have the common schema, which is the same for all alerts of Azure Monitor.
    """
    if receivers is None:
        return []
    existing: list[pulumi.Input[str]] = [] if receivers.topic is None else [receivers.topic]
    if not receivers.mail and receivers.webhook is None:
        return existing
    created = monitor.ActionGroup(
        name,
        resource_group_name=group,
        location="Global",
        group_short_name=_SHORT_NAME,
        enabled=True,
        email_receivers=[
            monitor.MicrosoftCommonEmailReceiverArgs(name=address, email_address=address, use_common_alert_schema=True)
            for address in receivers.mail
        ],
        webhook_receivers=[
            monitor.WebhookReceiverArgs(
                name="webhook",
                service_uri=pulumi.Output.secret(url.get_secret_value()),
                use_common_alert_schema=True,
            )
            for url in ([receivers.webhook] if receivers.webhook else [])
        ],
        opts=opts,
    )
    return [created.id, *existing]


def alert_rules(
    name: str,
    watched: Watched,
    *,
    action_group_ids: Sequence[pulumi.Input[str]],
    group: pulumi.Input[str],
    workspace_id: pulumi.Input[str],
    control_plane: ControlPlane,
    opts: pulumi.ResourceOptions,
) -> None:
    """Alerts appear in Azure Monitor and go to action groups. action_group_ids: of these.

    Source: Azure Monitor documentation, "Azure Monitor managed service for Prometheus rule groups" (a workspace and one
    cluster as scopes, and the cluster's name, which its metrics have as the label `cluster`).
    """
    actions = [alertsmanagement.PrometheusRuleGroupActionArgs(action_group_id=id_) for id_ in action_group_ids]
    for suffix, rules in azure_rule_groups(watched).items():
        alertsmanagement.PrometheusRuleGroup(
            f"{name}{suffix}",
            resource_group_name=group,
            scopes=[workspace_id, control_plane.cluster.id],
            cluster_name=control_plane.cluster_name,
            enabled=rules["enabled"],
            interval=rules["interval"],
            rules=[_rule(rule, actions) for rule in rules["rules"]],
            opts=opts,
        )


def _rule(
    rule: Mapping[str, Any], actions: list[alertsmanagement.PrometheusRuleGroupActionArgs]
) -> alertsmanagement.PrometheusRuleArgs:
    """`for` is a Python keyword. Recording rule have no actions."""
    arguments: dict[str, Any] = {"for_" if key == "for" else key: text for key, text in rule.items()}
    return alertsmanagement.PrometheusRuleArgs(**arguments, actions=actions if actions and "alert" in rule else None)


# The Prometheus operator's kind in Azure's own API group; the metrics add-on includes its CRD and ignores the
# operator's. Source: Azure/prometheus-collector 39583fd,
# azure-monitor-metrics-addon/templates/ama-metrics-podmonitor-crd.yaml.
_POD_MONITOR: Final = Kind("azmonitoring.coreos.com/v1", "PodMonitor")
_SERVICE_MONITOR: Final = Kind("azmonitoring.coreos.com/v1", "ServiceMonitor")
# Azure's limits of labels: number, and characters of names and values. A monitor without these limits loses every
# sample that exceeds them. Source: Azure Monitor documentation, "Customize collection using CRDs".
_LIMITS: Final = {"labelLimit": 63, "labelNameLengthLimit": 511, "labelValueLengthLimit": 1023}

# Of the GPU Operator. Source: NVIDIA/gpu-operator v26.3.3, assets/state-dcgm-exporter/0800_daemonset.yaml.
_GPUS: Final = ScrapeTarget(
    name="nvidia-dcgm-exporter", namespace="gpu-operator", labels={"app": "nvidia-dcgm-exporter"}, port="metrics"
)

_SETTINGS: Final = "ama-metrics-settings-configmap"
"""The add-on reads a ConfigMap of this name. Source: Azure Monitor documentation, "Customize scraping of Prometheus
metrics using ConfigMap".
"""

# The node image runs node exporter with the InfiniBand collector, and the add-on scrapes it and keeps a short list of
# its metrics, to which this adds. A missing section has its defaults.
# Sources: Azure/AgentBaker 1138c29, parts/linux/cloud-init/artifacts/node-exporter/node-exporter-startup.sh;
# Azure/prometheus-collector 39583fd, otelcollector/shared/configmap/mp/tomlparser-default-targets-metrics-keep-list.go
# and shared/helpers.go; Azure Monitor documentation, "Minimal ingestion profile".
_INFINIBAND: Final = """\
default-targets-metrics-keep-list: |-
  nodeexporter = "node_infiniband_state_id|node_infiniband_port_data_(received|transmitted)_bytes_total"
minimal-ingestion-profile: |-
  enabled = true
"""


class MetricsCollection(pulumi.ComponentResource):
    """Metrics of GPUs, of InfiniBand if there is any, and of further options of the spec.

    Outputs: monitors, the names of the objects that request them.
    """

    def __init__(
        self,
        name: str,
        plan: TelemetryPlan,
        *,
        infiniband: bool,
        after: Sequence[pulumi.Resource],
        queue: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the scraped software and its namespaces, including the GPU Operator, because the add-on's CRD is
        created some time after the cluster. queue: the software that queues jobs.
        """
        super().__init__("gpucluster:azure:MetricsCollection", name, {}, opts)
        here = pulumi.ResourceOptions(parent=self, depends_on=list(after))
        if infiniband:
            Declared(
                f"{name}-settings",
                manifest_of(
                    CONFIG_MAP,
                    {"data": {"schema-version": "v2", "config-version": "ver1", "cluster-metrics": _INFINIBAND}},
                    object_name=_SETTINGS,
                    namespace=SYSTEM_NAMESPACE,
                ),
                here,
            )
        # AKS runs its Karpenter outside the cluster, and shows its metrics only in a preview feature.
        scraped = [_GPUS, *targets(plan, karpenter=False)]
        for target in scraped:
            before = pulumi.ResourceOptions(depends_on=list(queue) if target in QUEUEING else [])
            opened = pulumi.ResourceOptions.merge(here, before)
            if target.token:
                # Only a ServiceMonitor can name the file with the collector's own token, and it needs a Service.
                service = {
                    "clusterIP": "None",
                    "selector": dict(target.labels),
                    "ports": [{"name": target.port, "port": _SECURE_PORT, "targetPort": target.port}],
                }
                Declared(
                    f"{name}-{target.name}-service",
                    manifest_of(
                        SERVICE,
                        service,
                        object_name=_READ_BY,
                        namespace=target.namespace,
                        labels={_READ_BY: target.name},
                    ),
                    opened,
                )
            Declared(
                f"{name}-{target.name}",
                manifest_of(
                    _SERVICE_MONITOR if target.token else _POD_MONITOR,
                    _monitor(target),
                    object_name=target.name,
                    namespace=target.namespace,
                ),
                opened,
            )
        self.register_outputs({"monitors": [target.name for target in scraped]})


def _monitor(target: ScrapeTarget) -> dict[str, Any]:
    """Each target itself names the pods that hold a GPU, cost dollars or sent a metric. Otherwise, if it names none,
    the scraped pod would appear instead, and eight free GPUs would look like a job that leaves them idle.
    """
    own = {"action": "labeldrop", "regex": "container|namespace|pod"}
    filters = [
        {"action": "keep", "sourceLabels": [label], "regex": expression} for label, expression in target.keep.items()
    ]
    endpoint: dict[str, Any] = {
        "port": target.port,
        "interval": f"{target.seconds}s",
        "relabelings": [own],
        **({"scheme": "https", "tlsConfig": {"insecureSkipVerify": True}} if target.tls else {}),
        **({"bearerTokenFile": _TOKEN} if target.token else {}),
        **({"metricRelabelings": filters} if filters else {}),
    }
    labels = {_READ_BY: target.name} if target.token else dict(target.labels)
    return {
        **_LIMITS,
        "selector": {"matchLabels": labels},
        "endpoints" if target.token else "podMetricsEndpoints": [endpoint],
    }


_READ_BY: Final = "gpucluster-metrics"
"""Name and label of the Services that the add-on scrapes."""
_SECURE_PORT: Final = 8443
_TOKEN: Final = "/var/run/secrets/kubernetes.io/serviceaccount/token"
"""Of the add-on's own service account, which may read `/metrics`. Source: Azure/prometheus-collector 39583fd,
azure-monitor-metrics-addon/templates/ama-metrics-clusterRole.yaml and ama-metrics-servicemonitor-crd.yaml.
"""
