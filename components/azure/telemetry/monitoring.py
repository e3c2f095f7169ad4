"""Metrics of the cluster: Azure's managed Prometheus, the rule with the destination of its collectors, and alerts."""

from __future__ import annotations

import pulumi
from pulumi_azure_native import monitor

from gpucluster.components.azure.control_plane.control_plane import ControlPlane
from gpucluster.components.azure.telemetry.action_group import action_groups
from gpucluster.components.azure.telemetry.alert_rules import alert_rules
from gpucluster.components.kubernetes.telemetry.plan import TelemetryPlan
from gpucluster.components.planning.labels import EXPECTED_SAMPLES

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
            told=action_groups(f"{name}-receivers", plan.receivers, group=group, opts=here),
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
