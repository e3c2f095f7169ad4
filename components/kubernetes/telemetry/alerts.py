"""Alerts and dashboards of a cluster, and the counters that they read: `alerts.yaml`, `counters.csv`, a JSON file for
each dashboard.

InfiniBand counters come from node exporter; EFA counters from the exporter that AWS adds to it
(awslabs/awsome-distributed-ai, 4.validation_and_observability). For a fabric that bypasses the kernel, such as TCPXO
and RoCE, the interfaces of pods count nothing: GPU traffic crosses PCIe, which DCGM counts on every cloud. Over TCPX
the kernel sends, and cAdvisor counts it in the pod, once for each of its containers. Source:
elideng-sg/hypercomputer-internode-deepdive, lab-22 7.1 to 7.3 (measured on A3 Mega and A3 High). GPU-hours held are one
sample per hour of each GPU that a pod holds; a team is a namespace.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.planning.labels import REQUIRED_LABELS
from gpucluster.core.catalog.fabrics import LIKE_TCP

NAME: Final = "gpucluster"
_RULES: Final = Path(__file__).parent / "alerts.yaml"
# Source: Azure/azure-rest-api-specs alertsmanagement 2023-03-01, PrometheusRuleGroups.json (labels, maxProperties).
_AZURE_LABELS: Final = 10
_ALWAYS: Final = frozenset({"stack", *(label.replace("-", "_") for label in REQUIRED_LABELS)})


@dataclass(frozen=True, kw_only=True)
class Watched:
    """Facts about a cluster for its alerts. labels: owner, team and the others of its spec.

    gpus: of one training machine. fabric_gbps: of one, 0 without a fabric; nccl_net: its name in NCCL.
    gpu_hour_usd: price of a GPU-hour; if None (unknown), alerts count GPUs. maintenance: whether the cloud announces
    planned maintenance.
    """

    labels: Mapping[str, str]
    gpus: int
    gpu_hour_usd: Decimal | None
    fabric_gbps: int = 0
    nccl_net: str = ""
    maintenance: bool = False
    collected: bool = True


def rule_file(watched: Watched) -> dict[str, Any]:
    """A rule file of Prometheus, which Amazon Managed Prometheus also accepts as a namespace of rules."""
    [found] = manifests(_RULES, _values(watched))
    labels = {key.replace("-", "_"): value for key, value in watched.labels.items()}
    for group in found["groups"]:
        group["rules"] = [rule for rule in group["rules"] if rule.pop("if", True)]
        for rule in group["rules"]:
            if "labels" in rule:
                rule["labels"] = {**labels, **rule["labels"]}
    return found


def _values(watched: Watched) -> dict[str, object]:
    usd = watched.gpu_hour_usd
    # Of the fabric's line rate in bytes: what GPUs over TCP send is below it.
    like_tcp = int(watched.fabric_gbps * 10**9 // 8 * LIKE_TCP)
    return {
        "usd": "" if usd is None else f" * {usd.normalize():f}",
        "amount": "{{ $value }} GPUs (no price is known)" if usd is None else '${{ printf "%.2f" $value }} an hour',
        "of_a_node": "" if usd is None else f", ${usd * watched.gpus:,.2f} an hour that no gang can use",
        "gpus": str(watched.gpus),
        "maintenance": watched.maintenance,
        "collected": watched.collected,
        "fabric": bool(watched.fabric_gbps),
        "fabric_gbps": f"{watched.fabric_gbps:,}",
        "like_tcp": str(like_tcp),
        "nccl_net": watched.nccl_net,
    }


def samples_per_minute(watched: Watched) -> Decimal:
    """Of the recorded metrics of one GPU."""
    group = rule_file(watched)["groups"][0]
    return sum("record" in rule for rule in group["rules"]) * Decimal(60) / int(group["interval"].removesuffix("s"))


def prometheus_operator_rule(watched: Watched, namespace: str) -> dict[str, Any]:
    """A PrometheusRule, for the Prometheus operator."""
    return _object("monitoring.coreos.com/v1", "PrometheusRule", {"name": NAME, "namespace": namespace}, watched)


def gke_rules(watched: Watched) -> dict[str, Any]:
    """ClusterRules, for Google Cloud's Managed Prometheus, whose rules see all namespaces only in this kind."""
    return _object("monitoring.googleapis.com/v1", "ClusterRules", {"name": NAME}, watched)


def _object(api_version: str, kind: str, metadata: dict[str, str], watched: Watched) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": rule_file(watched)}


def azure_rule_groups(watched: Watched) -> dict[str, dict[str, Any]]:
    """Suffix of a name -> properties of a Microsoft.AlertsManagement prometheusRuleGroups resource, without its scopes.

    Source: azure-native 3.29.0, alertsmanagement.PrometheusRuleGroup; severity 0 is critical and 4 verbose, durations
    are ISO 8601, and a rule has 10 labels at most: for a spec with more, labels common to all specs are kept first.
    """
    groups = rule_file(watched)["groups"]
    return {group["name"].removeprefix(NAME): _azure_rule_group(group) for group in groups}


def _azure_rule_group(group: Mapping[str, Any]) -> dict[str, Any]:
    severities = {"critical": 0, "warning": 2, "info": 3}
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


def alertmanager_config(receiver: Mapping[str, Any]) -> dict[str, Any]:
    """Alertmanager's configuration: one receiver for all alerts, grouped by alert name.

    receiver: its notification settings, such as webhook_configs. Source: Alertmanager documentation, "Configuration"
    (route, receiver).
    """
    return {
        "route": {"receiver": NAME, "group_by": ["alertname"]},
        "receivers": [{"name": NAME, **receiver}],
    }


_HERE = Path(__file__).parent


def dashboards(watched: Watched) -> dict[str, dict[str, Any]]:
    """Name -> dashboard. Without a price, the cost dashboard is missing."""
    usd = watched.gpu_hour_usd
    price = "" if usd is None else f"{usd.normalize():f}"
    names = ("use", "fabric", "health", "queue", *(["cost"] if price else []))
    return {
        f"gpucluster-{name}": json.loads(
            (_HERE / f"{name}.json").read_text(encoding="utf-8").replace("${gpu_hour_usd}", price)
        )
        for name in names
    }


def counters_csv() -> str:
    """The file of DCGM's exporter: field, type of metric, help. It replaces the exporter's defaults, so it is complete.

    Source: NVIDIA/dcgm-exporter, etc/default-counters.csv and etc/dcp-metrics-included.csv.
    """
    return (_HERE / "counters.csv").read_text(encoding="utf-8")
