"""Every resource that supports labels has its owner's labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from gpucluster.core.catalog.labels import LabelSyntax, problem_of_key, problem_of_value
from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.policies.clouds.label_sets import LabelSet, label_sets, label_sets_in, labels_at
from gpucluster.policies.engine.rule import (
    CannotTell,
    Edit,
    Enforcement,
    Finding,
    NotChecked,
    Severity,
    Stack,
    StackRule,
    Violation,
    in_own_cluster,
)
from gpucluster.policies.frameworks import FINOPS_ALLOCATION

_GPUCLUSTER: Final = "gpucluster:"


def check(stack: Stack) -> Iterator[Finding]:
    if not _has_requirements(stack):
        yield NotChecked("required labels")
    required_of = _required(stack)
    for resource in stack.resources:
        sets = list(label_sets_in(resource, stack.resources))
        if not sets:
            continue
        required = required_of(resource)
        if required is UNKNOWN:
            yield CannotTell(resource, "the required labels are not known yet")
            continue
        wrong: list[str] = []
        edits: list[Edit] = []
        unknown: list[str] = []
        for labels in sets:
            if required and labels.labels is UNKNOWN:
                unknown.append(labels.where)
            elif labels.labels is not UNKNOWN:
                missing, differing = _wrong(labels, labels.labels, required)
                if _kept(resource, labels):
                    differing = []
                wrong += _problems(labels, missing, differing)
                edits += _edits(labels, {key: required[key] for key in (*missing, *differing)})
        if wrong:
            yield Violation(resource, "; ".join(wrong), _fix(required, stack), edits=tuple(edits))
        if unknown:
            yield CannotTell(resource, f"{', '.join(unknown)} not known yet")


def _fix(required: Mapping[str, Any], stack: Stack) -> str | None:
    """The labels to write, with those values that the program states; None if a secret may be among them."""
    whose = [each.component for each in read_registered_facts(stack.resources) if "requiredLabels" in each.names]
    if not stack.secrets_marked and not all(one.type.startswith(_GPUCLUSTER) for one in whose):
        return None
    values = [f"{key}={value}" if isinstance(value, str) else f"{key}" for key, value in sorted(required.items())]
    return f"Write the labels {', '.join(values)}; `gpucluster guardrails check` prints where."


def _has_requirements(stack: Stack) -> bool:
    configured = bool(stack.config.get("labels") or stack.config.get("keys"))
    return configured or any("requiredLabels" in each.names for each in read_registered_facts(stack.resources))


def _required(stack: Stack) -> Callable[[Resource], Mapping[str, Any] | Unknown]:
    configured = labels_at(stack.config.get("labels"))
    keys = stack.config.get("keys")
    if not keys and not configured:
        return _registered(stack.resources)
    required = {**dict.fromkeys(keys or (), UNKNOWN), **(configured if configured is not UNKNOWN else {})}
    return lambda _: required  # UNKNOWN as the value of a key: only its presence is checked


def remedy(resource: Resource, provider: Resource | None, config: Mapping[str, Any]) -> Iterator[Edit]:
    """The configured labels that a resource lacks, if it belongs to no component of this package.

    Only its own labels: machines read theirs when they start, so adding one would replace the machines of a running
    job. Never a label that the cloud would refuse.
    """
    configured = labels_at(config.get("labels"))
    if configured is UNKNOWN or in_own_cluster(resource):
        return
    for labels in label_sets(resource, provider):
        if labels.own and labels.labels is not UNKNOWN:
            missing, _ = _wrong(labels, labels.labels, configured)
            if writable := {key: str(configured[key]) for key in missing if _writable(labels, key, configured[key])}:
                yield Edit(labels.place, labels.written(writable))


def _wrong(labels: LabelSet, carried: Mapping[str, Any], required: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The missing keys, and those with another value. Sorted: the engine sends labels in any order."""
    missing = [key for key in sorted(required) if _is_blank(carried.get(key))]
    others = [key for key in sorted(required) if key not in missing]
    return missing, [key for key in others if _differs(labels, carried[key], required[key])]


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _kept(resource: Resource, labels: LabelSet) -> bool:
    """Whether they are kept unchanged after creation: new labels would replace a running resource."""
    return any(
        path == tuple(map(str, labels.place[: len(path)])) for path in (tuple(k.split(".")) for k in resource.keeps)
    )


def _edits(labels: LabelSet, wrong: Mapping[str, Any]) -> Iterator[Edit]:
    """The edit; a value that is unknown, or that needs another form here, is empty."""
    if wrong:
        values = {key: str(value) if _writable(labels, key, value) else "" for key, value in wrong.items()}
        yield Edit(labels.place, labels.written(values))


def _writable(labels: LabelSet, key: str, value: Any) -> bool:
    if value in (UNKNOWN, None, ""):
        return False
    return not problem_of_key(key, labels.syntax) and not problem_of_value(str(value), labels.syntax)


def _problems(labels: LabelSet, missing: list[str], differing: list[str]) -> Iterator[str]:
    if missing:
        yield f"{labels.where}: {', '.join(f'`{key}`' for key in missing)} missing"
    if differing:
        yield f"{labels.where}: {', '.join(f'`{key}`' for key in differing)} not the required value"


def _differs(labels: LabelSet, carried: Any, required: Any) -> bool:
    """Whether values differ; a value that another cloud or Kubernetes does not support may have any other form."""
    if carried is UNKNOWN or required is UNKNOWN:
        return False
    if labels.syntax is not LabelSyntax.AWS and problem_of_value(str(required), labels.syntax):
        return False
    return str(carried) != str(required)


Labels = Mapping[str, Any] | Unknown


def _registered(resources: Resources) -> Callable[[Resource], Labels]:
    """Required labels of each resource: those of the nearest component around it.

    A resource outside every such component requires the labels common to all of them.
    """
    by_urn = {
        each.component.urn: each.facts.required_labels
        for each in read_registered_facts(resources)
        if each.facts.required_labels is not None
    }
    agreed = _agreed(list(by_urn.values()))

    def of(resource: Resource) -> Labels:
        return next((by_urn[parent.urn] for parent in resources.parents(resource) if parent.urn in by_urn), agreed)

    return of


def _agreed(each: list[Labels]) -> Labels:
    known = [labels for labels in each if labels is not UNKNOWN]
    if len(known) < len(each):
        return UNKNOWN
    first: Mapping[str, Any] = known[0] if known else {}
    return {key: value for key, value in first.items() if all(labels.get(key) == value for labels in known)}


RULE: Final = StackRule(
    name="required-labels",
    title="Every resource that supports labels has the required ones",
    why="A resource without owner and cost centre cannot be charged to anyone, and is never cleaned up.",
    fix="Give it the labels of the cluster, with the same values; `gpucluster guardrails check` prints what to write, "
    "and where.",
    reads="tags and labels of every resource that supports them, by the provider's own list of types; the fact "
    "requiredLabels, or the configured labels",
    spec="labels",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=150,
    frameworks=(FINOPS_ALLOCATION,),
    check=check,
    remedy=("labels", remedy),
    config={
        "labels": {
            "type": "object",
            "description": "Required labels with their values, instead of those that the components register; level "
            "`remediate` adds missing ones to a resource's own labels, but not to the labels of machines that it "
            "starts, and to nothing inside a component of type gpucluster:",
            "additionalProperties": {"type": "string"},
        },
        "keys": {
            "type": "array",
            "description": "Required labels with any value, instead of those that the components register",
            "items": {"type": "string"},
        },
    },
)
