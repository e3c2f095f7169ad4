"""Groups of Prometheus rules: what ARM answers, and what it refuses."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.sandbox.clouds.cloud import CloudError
from gpucluster.sandbox.clouds.ledger import Entry

Stage = Any
Make = Callable[..., Entry]

RECORD = {"record": "a:b", "expression": "up"}
ALERT = {"alert": "Down", "expression": "up == 0", "for": "PT5M", "severity": 0, "labels": {"team": "ml"}}
NOWHERE = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Monitor/accounts/none"
NO_CLUSTER = "/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/none"


@pytest.fixture
def make(stage: Stage) -> Make:
    """A group of two rules over the stage's cluster, with these inputs changed; a scope `workspace` is its id."""
    workspace = stage.make("monitor:AzureMonitorWorkspace", "w", azureMonitorWorkspaceName="w").id

    def declare(**inputs: Any) -> Entry:
        given = {
            "ruleGroupName": "gpus",
            "interval": "PT1M",
            "clusterName": "c",
            "rules": [RECORD, ALERT],
            "scopes": [workspace, stage.cluster.id],
            **inputs,
        }
        given["scopes"] = [workspace if scope == "workspace" else scope for scope in given["scopes"]]
        return stage.make("alertsmanagement:PrometheusRuleGroup", "it", **given)

    return declare


def test_a_group_has_its_place_and_its_path(make: Make) -> None:
    made = make()

    assert made.id.endswith("/resourceGroups/g/providers/Microsoft.AlertsManagement/prometheusRuleGroups/gpus")
    assert (made.outputs["location"], made.outputs["type"]) == (
        "eastus",
        "Microsoft.AlertsManagement/prometheusRuleGroups",
    )


@pytest.mark.parametrize(
    "inputs",
    [
        {"interval": "PT24H"},
        {"interval": "P1D"},
        {"interval": None},
        {"scopes": ["workspace"]},
        {"rules": [RECORD] * 20},
        {"rules": [{**ALERT, "labels": {f"label_{index}": "x" for index in range(10)}, "severity": 4}]},
    ],
)
def test_a_rule_group_within_the_limits_is_made(make: Make, inputs: dict[str, Any]) -> None:
    assert make(**inputs).name == "gpus"


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"ruleGroupName": "gpu%"}, "The rule group name 'gpu%' has characters that are not allowed: :@/#{}%&+*<>?"),
        ({"interval": "PT30S"}, "The interval 'PT30S' is not between PT1M and PT24H."),
        ({"interval": "1m"}, "The interval '1m' is not between PT1M and PT24H."),
        ({"interval": "P2D"}, "The interval 'P2D' is not between PT1M and PT24H."),
        ({"scopes": []}, "The scopes of a rule group are one Azure Monitor workspace and at most one cluster, not []."),
        ({"scopes": [NO_CLUSTER]}, "The scopes of a rule group are one Azure Monitor workspace"),
        ({"scopes": ["workspace", "workspace"]}, "The scopes of a rule group are one Azure Monitor workspace"),
        ({"scopes": [NOWHERE]}, f"The Azure Monitor workspace '{NOWHERE}' was not found."),
        ({"scopes": ["workspace", NO_CLUSTER]}, f"The cluster '{NO_CLUSTER}' was not found."),
        ({"rules": []}, "A rule group has 1 to 20 rules, not 0."),
        ({"rules": [RECORD] * 21}, "A rule group has 1 to 20 rules, not 21."),
        ({"rules": [{"expression": "up"}]}, "rules[0] must have one of record and alert."),
        ({"rules": [RECORD, {**RECORD, **ALERT}]}, "rules[1] must have one of record and alert."),
        ({"rules": [{**ALERT, "severity": 5}]}, "rules[0] has the severity 5; it is 0 to 4."),
        ({"rules": [{**ALERT, "for": "5m"}]}, "rules[0] has for '5m', which is no duration in ISO 8601."),
        (
            {"rules": [{**ALERT, "labels": {f"label_{index}": "x" for index in range(11)}}]},
            "rules[0] has 11 labels; a rule may have 10.",
        ),
        (
            {"rules": [{**ALERT, "labels": {"cost-center": "x"}}]},
            "rules[0] has the label 'cost-center', whose name or value is not allowed.",
        ),
        (
            {"rules": [{**ALERT, "annotations": {"summary": "x" * 1025}}]},
            "rules[0] has the annotation 'summary', whose name or value is not allowed.",
        ),
    ],
)
def test_a_rule_group_over_a_limit_is_refused(make: Make, inputs: dict[str, Any], expected: str) -> None:
    with pytest.raises(CloudError, match=re.escape(expected)):
        make(**inputs)
