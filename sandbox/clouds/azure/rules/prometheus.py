"""Groups of Prometheus rules.

Sources: Azure/azure-rest-api-specs alertsmanagement 2023-03-01, PrometheusRuleGroups.json; Azure Monitor documentation,
"Azure Monitor managed service for Prometheus rule groups" (scopes), "Azure Monitor service limits" (20 rules, 1 minute
to 24 hours); Azure/prometheus-collector 39583fd, tools/az-prom-rules-converter (names and values of labels). The text
of the refusals is the sandbox's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.azure.model import ManagedResource, refused, rule

_GROUP: Final = "azure-native:alertsmanagement:PrometheusRuleGroup"
_WORKSPACE: Final = "azure-native:monitor:AzureMonitorWorkspace"
_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"
_NAME: Final = r"[^:@/#{}%&+*<>?]+"
_MOST_RULES: Final = 20
_MOST_LABELS: Final = 10
_LABEL: Final = r"(?!__)[a-zA-Z_][a-zA-Z0-9_]{0,1023}"
_LONGEST: Final = 1024
_DURATION: Final = r"P(?=.)(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?"
_DAY: Final = 24 * 60 * 60


@rule(_GROUP)
def name_and_interval_are_right(managed: ManagedResource) -> None:
    """Without disallowed characters; from a minute to a day between two evaluations."""
    if not re.fullmatch(_NAME, managed.name):
        raise _bad(f"The rule group name '{managed.name}' has characters that are not allowed: :@/#{{}}%&+*<>?")
    interval = managed.inputs.get("interval")
    if interval is not None and not 60 <= (_seconds(interval) or 0) <= _DAY:
        raise _bad(f"The interval '{interval}' is not between PT1M and PT24H.")


@rule(_GROUP)
def scopes_are_one_workspace_and_at_most_one_cluster(managed: ManagedResource) -> None:
    """Both exist; the cluster's metrics have its name."""
    scopes = [str(scope) for scope in items(managed.inputs.get("scopes"))]
    workspaces = [scope for scope in scopes if "/microsoft.monitor/accounts/" in scope.lower()]
    if len(workspaces) != 1 or len(scopes) > 2:
        raise _bad(f"The scopes of a rule group are one Azure Monitor workspace and at most one cluster, not {scopes}.")
    if managed.at(_WORKSPACE, workspaces[0]) is None:
        raise refused("NotFound", f"The Azure Monitor workspace '{workspaces[0]}' was not found.", status=404)
    for scope in scopes:
        if "/managedclusters/" in scope.lower() and managed.at(_CLUSTER, scope) is None:
            raise refused("NotFound", f"The cluster '{scope}' was not found.", status=404)


@rule(_GROUP)
def rules_are_of_one_kind_each(managed: ManagedResource) -> None:
    """From 1 to 20 rules; each records or alerts, with the matching fields."""
    rules = [mapping(item) for item in items(managed.inputs.get("rules"))]
    if not 1 <= len(rules) <= _MOST_RULES:
        raise _bad(f"A rule group has 1 to {_MOST_RULES} rules, not {len(rules)}.")
    for index, given in enumerate(rules):
        for problem in _problems(given):
            raise _bad(f"rules[{index}] {problem}")


def _problems(given: Mapping[str, Any]) -> Iterator[str]:
    if (given.get("record") is None) == (given.get("alert") is None):
        yield "must have one of record and alert."
    severity, period, labels = given.get("severity"), given.get("for"), mapping(given.get("labels"))
    if isinstance(severity, int | float) and not 0 <= severity <= 4:
        yield f"has the severity {severity:g}; it is 0 to 4."
    if period is not None and _seconds(period) is None:
        yield f"has for '{period}', which is no duration in ISO 8601."
    if len(labels) > _MOST_LABELS:
        yield f"has {len(labels)} labels; a rule may have {_MOST_LABELS}."
    for what, texts in (("label", labels), ("annotation", mapping(given.get("annotations")))):
        for key, text in texts.items():
            if not re.fullmatch(_LABEL, str(key)) or len(str(text)) > _LONGEST:
                yield f"has the {what} '{key}', whose name or value is not allowed."


def _seconds(text: Any) -> int | None:
    """Seconds of a duration; None for other texts."""
    match = re.fullmatch(_DURATION, str(text))
    if match is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _bad(message: str) -> Exception:
    return refused("BadRequest", message)
