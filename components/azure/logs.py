"""Logs of pods and control plane in a Log Analytics workspace."""

from __future__ import annotations

from typing import Final

import pulumi
from pulumi_azure_native import monitor, operationalinsights

from gpucluster.components.azure.control_plane import ControlPlane
from gpucluster.components.cluster.outputs import Logs

_STREAM: Final = "Microsoft-ContainerLogV2"
_DESTINATION: Final = "workspace"
# AKS looks for a rule by this name.
_EXTENSION: Final = "ContainerInsightsExtension"
# Changes, logins, and messages of the API. kube-audit, which also has every read, is by far the largest.
# Source: AKS documentation, monitor-aks-reference (resource logs) and monitor-aks ("Collect resource logs").
_CATEGORIES: Final = ("kube-apiserver", "kube-audit-admin", "guard")


class LogWorkspace(pulumi.ComponentResource):
    """A workspace, created before the cluster whose agents write to it; then, by `collect`, the collection rules.

    Outputs: workspace_id. Source: Azure Monitor documentation, "Enable monitoring for Kubernetes clusters" and
    "Configure log collection in Container insights": of all that its agent can collect, only output of containers; by
    default the namespaces kube-system and gatekeeper-system are excluded.
    """

    workspace_id: pulumi.Output[str]

    def __init__(
        self,
        name: str,
        *,
        keep_days: int,
        group: pulumi.Input[str],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpucluster:azure:LogWorkspace", name, {}, opts)
        self._name, self._group = name, group
        self._workspace = operationalinsights.Workspace(
            f"{name}-workspace",
            resource_group_name=group,
            sku=operationalinsights.WorkspaceSkuArgs(name="PerGB2018"),
            retention_in_days=keep_days,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.workspace_id = self._workspace.id

    def collect(self, control_plane: ControlPlane) -> Logs:
        """Sends the logs of a cluster here; returns access to those of its jobs."""
        name, group, here = self._name, self._group, pulumi.ResourceOptions(parent=self)
        rule = monitor.DataCollectionRule(
            f"{name}-rule",
            resource_group_name=group,
            kind="Linux",
            data_sources=monitor.DataCollectionRuleDataSourcesArgs(
                extensions=[
                    monitor.ExtensionDataSourceArgs(
                        name=_EXTENSION,
                        extension_name="ContainerInsights",
                        streams=[_STREAM],
                        extension_settings={"dataCollectionSettings": {"enableContainerLogV2": True}},
                    )
                ]
            ),
            destinations=monitor.DataCollectionRuleDestinationsArgs(
                log_analytics=[
                    monitor.LogAnalyticsDestinationArgs(name=_DESTINATION, workspace_resource_id=self.workspace_id)
                ]
            ),
            data_flows=[monitor.DataFlowArgs(streams=[_STREAM], destinations=[_DESTINATION])],
            opts=here,
        )
        monitor.DataCollectionRuleAssociation(
            f"{name}-association",
            association_name=_EXTENSION,
            resource_uri=control_plane.cluster.id,
            data_collection_rule_id=rule.id,
            opts=here,
        )
        monitor.DiagnosticSetting(
            f"{name}-control-plane",
            name="logs",
            resource_uri=control_plane.cluster.id,
            workspace_id=self.workspace_id,
            # AKS's own tables instead of the one that all services share.
            log_analytics_destination_type="Dedicated",
            logs=[monitor.DiagnosticsLogSettingsArgs(category=category, enabled=True) for category in _CATEGORIES],
            opts=here,
        )
        self.register_outputs({"workspaceId": self.workspace_id})
        return Logs(
            console=pulumi.Output.concat("https://portal.azure.com/#resource", self.workspace_id, "/logs"),
            command=self._workspace.customer_id.apply(_command),
        )


def _command(workspace: str) -> str:
    """workspace: its GUID."""
    query = (
        "ContainerLogV2 | where PodName startswith 'JOB' | sort by TimeGenerated asc "
        "| project TimeGenerated, PodName, LogMessage"
    )
    return f'az monitor log-analytics query --workspace {workspace} --analytics-query "{query}" --output table'
