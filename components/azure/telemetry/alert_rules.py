"""Alert and recording rules of Azure Monitor for one cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
from pulumi_azure_native import alertsmanagement

from gpucluster.components.azure.control_plane.control_plane import ControlPlane
from gpucluster.components.kubernetes.telemetry.rules import Watched, azure_rule_group


def alert_rules(
    name: str,
    watched: Watched,
    *,
    told: Sequence[pulumi.Input[str]],
    group: pulumi.Input[str],
    workspace_id: pulumi.Input[str],
    control_plane: ControlPlane,
    opts: pulumi.ResourceOptions,
) -> alertsmanagement.PrometheusRuleGroup:
    """Alerts appear in Azure Monitor and go to action groups. told: their ids.

    Source: Azure Monitor documentation, "Azure Monitor managed service for Prometheus rule groups" (a workspace and one
    cluster as scopes, and the cluster's name, which its metrics have as the label `cluster`).
    """
    given = azure_rule_group(watched)
    actions = [alertsmanagement.PrometheusRuleGroupActionArgs(action_group_id=id_) for id_ in told]
    return alertsmanagement.PrometheusRuleGroup(
        name,
        resource_group_name=group,
        scopes=[workspace_id, control_plane.cluster.id],
        cluster_name=control_plane.cluster_name,
        enabled=given["enabled"],
        interval=given["interval"],
        rules=[_rule(rule, actions) for rule in given["rules"]],
        opts=opts,
    )


def _rule(
    given: Mapping[str, Any], actions: list[alertsmanagement.PrometheusRuleGroupActionArgs]
) -> alertsmanagement.PrometheusRuleArgs:
    """`for` is a Python keyword. Recording rules have no actions."""
    words: dict[str, Any] = {"for_" if key == "for" else key: text for key, text in given.items()}
    return alertsmanagement.PrometheusRuleArgs(**words, actions=actions if actions and "alert" in given else None)
