"""Workspaces of Managed Prometheus and of logs, what collects for them, and Managed Grafana."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.clouds.azure.identities import of_resource
from gpucluster.sandbox.clouds.azure.identity import DOMAIN, guid
from gpucluster.sandbox.clouds.azure.model import Thing, models
from gpucluster.sandbox.clouds.azure.outputs import etag, made
from gpucluster.sandbox.clouds.naming import random_hex
from gpucluster.sandbox.type_guards import mapping

__all__: list[str] = []


@models("azure-native:monitor:AzureMonitorWorkspace")
def azure_monitor_workspace(thing: Thing) -> Mapping[str, Any]:
    """A workspace comes with an endpoint and a rule of its own, in a group that Azure makes for it.

    Source: Azure/azure-rest-api-specs monitor 2023-04-03, AzureMonitorWorkspace and its examples.
    """
    group = f"MA_{thing.name}_{thing.location}_managed"
    path = f"/subscriptions/{thing.subscription}/resourceGroups/{group}/providers/Microsoft.Insights"
    host = thing.keep("accountId", guid)
    return {
        **made(thing),
        "accountId": host,
        "defaultIngestionSettings": {
            "dataCollectionEndpointResourceId": f"{path}/dataCollectionEndpoints/{thing.name}",
            "dataCollectionRuleResourceId": f"{path}/dataCollectionRules/{thing.name}",
        },
        "etag": etag(),
        "metrics": {
            "internalId": host,
            "prometheusQueryEndpoint": f"https://{thing.name}-{host[:4]}.{thing.location}.prometheus.monitor.{DOMAIN}",
        },
        "publicNetworkAccess": thing.inputs.get("publicNetworkAccess") or "Enabled",
    }


@models("azure-native:monitor:ActionGroup")
def action_group(thing: Thing) -> Mapping[str, Any]:
    return made(thing)


@models("azure-native:monitor:DataCollectionEndpoint")
def data_collection_endpoint(thing: Thing) -> Mapping[str, Any]:
    unique = str(thing.keep("immutableId", lambda: f"dce-{random_hex(32)}"))
    host = f"{thing.name}-{unique[4:8]}.{thing.location}-1"
    return {
        **made(thing),
        "configurationAccess": {"endpoint": f"https://{host}.handler.control.monitor.{DOMAIN}"},
        "etag": etag(),
        "immutableId": unique,
        "logsIngestion": {"endpoint": f"https://{host}.ingest.monitor.{DOMAIN}"},
        "metricsIngestion": {"endpoint": f"https://{host}.metrics.ingest.monitor.{DOMAIN}"},
    }


@models("azure-native:monitor:DataCollectionRule")
def data_collection_rule(thing: Thing) -> Mapping[str, Any]:
    return {**made(thing), "etag": etag(), "immutableId": thing.keep("immutableId", lambda: f"dcr-{random_hex(32)}")}


@models("azure-native:monitor:DataCollectionRuleAssociation")
def data_collection_rule_association(thing: Thing) -> Mapping[str, Any]:
    return {**made(thing), "etag": etag()}


@models("azure-native:monitor:DiagnosticSetting")
def diagnostic_setting(thing: Thing) -> Mapping[str, Any]:
    return made(thing)


@models("azure-native:operationalinsights:Workspace")
def log_workspace(thing: Thing) -> Mapping[str, Any]:
    """Source: Azure/azure-rest-api-specs operationalinsights 2025-02-01, Workspaces and its examples."""
    return {
        **made(thing),
        "customerId": thing.keep("customerId", guid),
        "etag": etag(),
        "publicNetworkAccessForIngestion": thing.inputs.get("publicNetworkAccessForIngestion") or "Enabled",
        "publicNetworkAccessForQuery": thing.inputs.get("publicNetworkAccessForQuery") or "Enabled",
        "retentionInDays": thing.inputs.get("retentionInDays") or 30,
        "workspaceCapping": thing.inputs.get("workspaceCapping") or {"dailyQuotaGb": -1},
    }


@models("azure-native:dashboard:Grafana")
def grafana(thing: Thing) -> Mapping[str, Any]:
    host = f"{thing.name}.{thing.location}.grafana.{DOMAIN}"
    properties = {
        **mapping(thing.inputs.get("properties")),
        "endpoint": f"https://{host}",
        "provisioningState": "Succeeded",
    }
    return {**made(thing), "identity": of_resource(thing), "properties": properties}


@models("azure-native:alertsmanagement:PrometheusRuleGroup")
def prometheus_rule_group(thing: Thing) -> Mapping[str, Any]:
    return made(thing)
