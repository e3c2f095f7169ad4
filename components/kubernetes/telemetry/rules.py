"""The alerts in the formats of Prometheus and of managed Prometheus services."""

from __future__ import annotations

import re
from typing import Any, Final

from gpucluster.components.kubernetes.telemetry.alerts import Watched, alerts, recordings
from gpucluster.components.labels import REQUIRED_LABELS

NAME: Final = "gpucluster"
INTERVAL_SECONDS: Final = 60
# Source: Azure/azure-rest-api-specs alertsmanagement 2023-03-01, PrometheusRuleGroups.json (labels, maxProperties).
_AZURE_LABELS: Final = 10
_ALWAYS: Final = frozenset({"stack", *(label.replace("-", "_") for label in REQUIRED_LABELS)})


def rule_file(watched: Watched) -> dict[str, Any]:
    """A rule file of Prometheus, which Amazon Managed Prometheus also accepts as a namespace of rules."""
    return {
        "groups": [
            {
                "name": NAME,
                "interval": f"{INTERVAL_SECONDS}s",
                "rules": [*recordings(), *(alert.rule(watched.labels) for alert in alerts(watched))],
            }
        ]
    }


def prometheus_operator_rule(watched: Watched, namespace: str) -> dict[str, Any]:
    """A PrometheusRule, for the Prometheus operator."""
    return _object("monitoring.coreos.com/v1", "PrometheusRule", {"name": NAME, "namespace": namespace}, watched)


def gke_rules(watched: Watched) -> dict[str, Any]:
    """ClusterRules, for Google Cloud's Managed Prometheus, whose rules see all namespaces only in this kind."""
    return _object("monitoring.googleapis.com/v1", "ClusterRules", {"name": NAME}, watched)


def _object(api_version: str, kind: str, metadata: dict[str, str], watched: Watched) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": rule_file(watched)}


def azure_rule_group(watched: Watched) -> dict[str, Any]:
    """Properties of a Microsoft.AlertsManagement prometheusRuleGroups resource, without its scopes.

    Source: azure-native 3.29.0, alertsmanagement.PrometheusRuleGroup; severity 0 is critical and 4 verbose, durations
    are ISO 8601, and a rule has 10 labels at most: for a spec with more, labels common to all specs are kept first.
    """
    severities = {"critical": 0, "warning": 2, "info": 3}
    group = rule_file(watched)["groups"][0]
    rules: list[dict[str, Any]] = []
    for rule in group["rules"]:
        if "record" in rule:
            rules.append({"record": rule["record"], "expression": rule["expr"]})
            continue
        labels = dict(rule["labels"])
        severity = severities[labels.pop("severity")]
        rules.append(
            {
                "alert": rule["alert"],
                "expression": rule["expr"],
                **({"for": _iso(rule["for"])} if "for" in rule else {}),
                "severity": severity,
                "labels": dict(sorted(labels.items(), key=_is_of_the_spec)[:_AZURE_LABELS]),
                "annotations": rule["annotations"],
                "enabled": True,
            }
        )
    return {"enabled": True, "interval": _iso(group["interval"]), "rules": rules}


def _is_of_the_spec(label: tuple[str, str]) -> bool:
    """Whether a label belongs to this spec, not to all specs."""
    return label[0] not in _ALWAYS


def _iso(duration: str) -> str:
    match = re.fullmatch(r"(\d+)([ms])", duration)
    assert match is not None
    seconds = int(match[1]) * (60 if match[2] == "m" else 1)
    return f"PT{seconds // 60}M"
