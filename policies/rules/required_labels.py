"""Everything that can be labelled says whose it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from cost.resources import UNKNOWN, Resource, Unknown
from policies.clouds.label_sets import label_sets
from policies.facts import facts, required_labels
from policies.frameworks import FINOPS_ALLOCATION
from policies.label_sets import LabelSet, LabelSyntax, labels_at
from policies.label_syntax import problem_of_value
from policies.rule import CannotTell, Finding, NotChecked, Severity, Stack, StackRule, Violation

__all__ = ["RULE"]


def check(stack: Stack) -> Iterator[Finding]:
    if not _stated(stack):
        yield NotChecked("required labels")
    required_of = _required(stack)
    for resource in stack.resources:
        sets = list(label_sets(resource, stack.resources.get(resource.provider)))
        if not sets:
            continue
        required = required_of(resource)
        if required is UNKNOWN:
            yield CannotTell(resource, "the required labels are not known yet")
            continue
        wrong: list[str] = []
        unknown: list[str] = []
        for labels in sets:
            if required and labels.labels is UNKNOWN:
                unknown.append(labels.where)
            elif labels.labels is not UNKNOWN:
                wrong += _wrong(labels, labels.labels, required)
        if wrong:
            yield Violation(resource, "; ".join(wrong))
        if unknown:
            yield CannotTell(resource, f"{', '.join(unknown)} not known yet")


def _stated(stack: Stack) -> bool:
    configured = bool(stack.config.get("labels") or stack.config.get("keys"))
    return configured or any(True for _ in facts(stack.resources, "requiredLabels"))


def _required(stack: Stack) -> Callable[[Resource], Mapping[str, Any] | Unknown]:
    configured = labels_at(stack.config.get("labels"))
    keys = stack.config.get("keys")
    if not keys and not configured:
        return required_labels(stack.resources)
    required = {**dict.fromkeys(keys or (), UNKNOWN), **(configured if configured is not UNKNOWN else {})}
    return lambda _: required  # UNKNOWN as the value of a key: present is enough


def _wrong(labels: LabelSet, carried: Mapping[str, Any], required: Mapping[str, Any]) -> Iterator[str]:
    missing = [key for key in required if carried.get(key) in (None, "")]
    differing = [key for key, value in required.items() if key not in missing and _differs(labels, carried[key], value)]
    if missing:
        yield f"{labels.where}: {', '.join(f'`{key}`' for key in missing)} missing"
    if differing:
        yield f"{labels.where}: {', '.join(f'`{key}`' for key in differing)} not the required value"


def _differs(labels: LabelSet, carried: Any, required: Any) -> bool:
    """A required value that another cloud or Kubernetes cannot write only has to be there in some form."""
    if carried is UNKNOWN or required is UNKNOWN:
        return False
    if labels.syntax is not LabelSyntax.AWS and problem_of_value(str(required), labels.syntax):
        return False
    return str(carried) != str(required)


RULE: Final = StackRule(
    name="required-labels",
    title="Everything that takes labels carries the required ones",
    why="A GPU node without owner and cost centre cannot be charged to anybody, and nobody dares to delete it.",
    fix="Give it the labels of the cluster, with the same values. AWS: a launch template also needs them in "
    "tagSpecifications for `instance` and `volume` (and `network-interface`, if listed), an EC2NodeClass in spec.tags. "
    "Google Cloud: a cluster takes them as resource_labels, a node pool as node_config.resource_labels and, for the "
    "nodes, node_config.labels, a GCENodeClass as spec.labels. Azure: a node "
    "pool takes them as tags and, for the nodes, node_labels, an AKSNodeClass as spec.tags.",
    reads="tags and labels of every resource that takes them, by the provider's own list of types; the fact "
    "requiredLabels, or the configured labels",
    severity=Severity.HIGH,
    frameworks=(FINOPS_ALLOCATION,),
    check=check,
    config={
        "labels": {
            "type": "object",
            "description": "Required labels with their values, instead of those the components register",
            "additionalProperties": {"type": "string"},
        },
        "keys": {
            "type": "array",
            "description": "Required labels of any value, instead of those the components register",
            "items": {"type": "string"},
        },
    },
)
