"""Node Feature Discovery's rules for its rules, before a cluster exists to apply them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gpucluster.components.azure.node_feature_rule import NodeFeatureRule
from gpucluster.components.kubernetes.objects import Part

Refused = Callable[[type[Part], dict[str, Any]], list[str]]


def spec(expression: dict[str, Any], **more: Any) -> dict[str, Any]:
    matcher = {"feature": "pci.device", "matchExpressions": {"device": expression}}
    return {"rules": [{"name": "r", "labels": {"example.com/ib": "true"}, "matchFeatures": [matcher], **more}]}


@pytest.mark.parametrize(
    "expression",
    [
        {"op": "In", "value": ["101c", "101e"]},
        {"op": "Exists"},
        {"op": "Gt", "value": ["1"]},
        {"op": "GtLt", "value": ["1", "9"]},
    ],
)
def test_what_discovery_takes_is_taken(refused: Refused, expression: dict[str, Any]) -> None:
    assert refused(NodeFeatureRule, spec(expression)) == []


AT = "spec.rules[0].matchFeatures[0].matchExpressions.device"


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"rules": []}, "spec.rules is a list; allowed: one rule or more; change it"),
        (spec({"op": "In"}), f"{AT} has value []; allowed with In: at least one; change it"),
        (spec({"op": "Exists", "value": ["1"]}), f"{AT} has value ['1']; allowed with Exists: none; change it"),
        (
            spec({"op": "Gt", "value": ["1", "2"]}),
            f"{AT} has value ['1', '2']; allowed with Gt: exactly one; change it",
        ),
        (spec({"op": "GtLt", "value": ["1"]}), f"{AT} has value ['1']; allowed with GtLt: exactly two; change it"),
        (
            spec({"op": "Exists"}, labels={"a b": "true"}),
            "spec.rules[0].labels has the key 'a b'; allowed: 1 to 63 letters, digits, -, _ and ., with a letter or "
            "digit at both ends, after an optional domain/; change it",
        ),
        (spec({"op": "Exists"}, matchFeatures=[]), "spec.rules[0].matchFeatures is a list; allowed: one matcher or "),
    ],
)
def test_what_discovery_refuses_is_refused(refused: Refused, wrong: dict[str, Any], expected: str) -> None:
    [problem] = refused(NodeFeatureRule, wrong)
    assert problem.startswith(expected)


def test_an_operator_that_does_not_exist_is_refused_with_the_nearest(refused: Refused) -> None:
    [problem] = refused(NodeFeatureRule, spec({"op": "in", "value": ["1"]}))
    assert problem.startswith(f"{AT}.op is 'in'; allowed: In, NotIn, ")
    assert problem.endswith("write In")
