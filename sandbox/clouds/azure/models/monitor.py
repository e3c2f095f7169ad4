"""Workspaces of Managed Prometheus and of logs, their data collection, and Managed Grafana."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.azure.model import DOMAIN, ManagedResource, etag, guid, identity_of, made, models
from gpucluster.sandbox.clouds.model import random_hex


@models("azure-native:monitor:AzureMonitorWorkspace")
def azure_monitor_workspace(managed: ManagedResource) -> Mapping[str, Any]:
    """A workspace has its own endpoint and rule, in a group that Azure creates for it.

    Source: Azure/azure-rest-api-specs monitor 2023-04-03, AzureMonitorWorkspace and its examples.
    """
    group = f"MA_{managed.name}_{managed.location}_managed"
    path = f"/subscriptions/{managed.subscription}/resourceGroups/{group}/providers/Microsoft.Insights"
    host = managed.keep("accountId", guid)
    return {
        **made(managed),
        "accountId": host,
        "defaultIngestionSettings": {
            "dataCollectionEndpointResourceId": f"{path}/dataCollectionEndpoints/{managed.name}",
            "dataCollectionRuleResourceId": f"{path}/dataCollectionRules/{managed.name}",
        },
        "etag": etag(),
        "metrics": {
            "internalId": host,
            "prometheusQueryEndpoint": f"https://{managed.name}-{host[:4]}.{managed.location}.prometheus.monitor.{DOMAIN}",
        },
        "publicNetworkAccess": managed.inputs.get("publicNetworkAccess") or "Enabled",
    }


@models("azure-native:monitor:ActionGroup")
def action_group(managed: ManagedResource) -> Mapping[str, Any]:
    return made(managed)


@models("azure-native:monitor:DataCollectionEndpoint")
def data_collection_endpoint(managed: ManagedResource) -> Mapping[str, Any]:
    unique = str(managed.keep("immutableId", lambda: f"dce-{random_hex(32)}"))
    host = f"{managed.name}-{unique[4:8]}.{managed.location}-1"
    return {
        **made(managed),
        "configurationAccess": {"endpoint": f"https://{host}.handler.control.monitor.{DOMAIN}"},
        "etag": etag(),
        "immutableId": unique,
        "logsIngestion": {"endpoint": f"https://{host}.ingest.monitor.{DOMAIN}"},
        "metricsIngestion": {"endpoint": f"https://{host}.metrics.ingest.monitor.{DOMAIN}"},
    }


@models("azure-native:monitor:DataCollectionRule")
def data_collection_rule(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        **made(managed),
        "etag": etag(),
        "immutableId": managed.keep("immutableId", lambda: f"dcr-{random_hex(32)}"),
    }


@models("azure-native:monitor:DataCollectionRuleAssociation")
def data_collection_rule_association(managed: ManagedResource) -> Mapping[str, Any]:
    return {**made(managed), "etag": etag()}


@models("azure-native:monitor:DiagnosticSetting")
def diagnostic_setting(managed: ManagedResource) -> Mapping[str, Any]:
    return made(managed)


@models("azure-native:operationalinsights:Workspace")
def log_workspace(managed: ManagedResource) -> Mapping[str, Any]:
    """Source: Azure/azure-rest-api-specs operationalinsights 2025-02-01, Workspaces and its examples."""
    return {
        **made(managed),
        "customerId": managed.keep("customerId", guid),
        "etag": etag(),
        "publicNetworkAccessForIngestion": managed.inputs.get("publicNetworkAccessForIngestion") or "Enabled",
        "publicNetworkAccessForQuery": managed.inputs.get("publicNetworkAccessForQuery") or "Enabled",
        "retentionInDays": managed.inputs.get("retentionInDays") or 30,
        "workspaceCapping": managed.inputs.get("workspaceCapping") or {"dailyQuotaGb": -1},
    }


@models("azure-native:dashboard:Grafana")
def grafana(managed: ManagedResource) -> Mapping[str, Any]:
    host = f"{managed.name}.{managed.location}.grafana.{DOMAIN}"
    properties = {
        **mapping(managed.inputs.get("properties")),
        "endpoint": f"https://{host}",
        "provisioningState": "Succeeded",
    }
    return {**made(managed), "identity": identity_of(managed), "properties": properties}


@models("azure-native:alertsmanagement:PrometheusRuleGroup")
def prometheus_rule_group(managed: ManagedResource) -> Mapping[str, Any]:
    return made(managed)
