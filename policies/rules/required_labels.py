"""Every resource that supports labels has its owner's labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.catalog.gpu_names import About, names_in
from gpucluster.core.catalog.labels import LabelSyntax, google_value, problem_of_key, problem_of_value
from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.inventory import names_others
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
from gpucluster.policies.secrets import texts_in

# Labels that name an owner, in any case and with any separator, for machines of a program without required ones.
_OWNERS: Final = ("owner", "team", "cost-center")
_SEPARATORS: Final = re.compile("[^a-z]")
_GPUCLUSTER: Final = "gpucluster:"


def check(stack: Stack) -> Iterator[Finding]:
    if not _has_requirements(stack):
        yield NotChecked("required labels")
        yield from _without_owner(stack.resources)
        return
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
        advice: dict[str, None] = {}
        for labels in sets:
            if required and labels.labels is UNKNOWN:
                unknown.append(labels.where)
            elif labels.labels is not UNKNOWN:
                missing, differing = _wrong(labels, labels.labels, required)
                if _kept(resource, labels):
                    differing = []
                if labels.partial and missing:
                    unknown.append(labels.where)
                    missing = []
                wrong += _problems(labels, missing, differing, required)
                unknown += [f"value of `{key}` in {labels.where}" for key in _not_known(labels, required)]
                edits += _edits(labels, {key: required[key] for key in (*missing, *differing)})
                if missing and labels.advice:
                    advice[labels.advice] = None
        if wrong:
            fix = _fix(required, stack)
            yield Violation(resource, "; ".join(wrong), " ".join(filter(None, (fix, *advice))), edits=tuple(edits))
        if unknown:
            yield CannotTell(resource, f"{', '.join(unknown)} not known yet")


def _without_owner(resources: Resources) -> Iterator[Finding]:
    """Resources with machines of eight GPUs that no label gives to anyone: they are nearly all of a bill."""
    for resource in resources:
        if resource.custom and not names_others(resource) and _whole_nodes(resource):
            sets = [labels for labels in label_sets_in(resource, resources) if labels.labels is not UNKNOWN]
            lacking = [
                labels for labels in sets if not labels.node_domains and not labels.partial and not _has_owner(labels)
            ]
            if lacking:
                keys = ", ".join(f"`{key}`" for key in _OWNERS)
                what = f"{'; '.join(labels.where for labels in lacking)}: none of {keys}"
                advice = dict.fromkeys(labels.advice for labels in lacking if labels.advice)
                yield Violation(
                    resource, what, " ".join((f"Give them one of the labels {', '.join(_OWNERS)}.", *advice))
                )


def _whole_nodes(resource: Resource) -> bool:
    return any(
        (machine := machines().get(name.machine)) is not None and machine.whole_node
        for _, text in texts_in(
            {key: of for key, of in resource.inputs.items() if "abels" not in key and "ags" not in key}, ""
        )
        for name in names_in(text, About.NOTHING)
    )


def _has_owner(labels: LabelSet) -> bool:
    carried = labels_at(labels.labels)
    if carried is UNKNOWN:
        return True
    names = {_SEPARATORS.sub("", key.lower()) for key, value in carried.items() if not _is_blank(value)}
    return any(key.replace("-", "") in names for key in _OWNERS)


def _fix(required: Mapping[str, Any], stack: Stack) -> str | None:
    """The labels to write, with those values that the program states; None if a secret may be among them."""
    whose = [each.component for each in read_registered_facts(stack.resources) if "requiredLabels" in each.names]
    if not stack.secrets_marked and not all(one.type.startswith(_GPUCLUSTER) for one in whose):
        return None
    values = [f"{key}{_allowed(value)}" for key, value in sorted(required.items())]
    return f"Write the labels {', '.join(values)}; `gpucluster guardrails check` prints where."


@dataclass(frozen=True, kw_only=True)
class _Allowed:
    """The allowed values of a key: a list, a pattern for the whole value, or both."""

    values: tuple[str, ...] = ()
    pattern: str = ""

    def has(self, value: str, *, google: bool) -> bool:
        """google: Google Cloud has lower case only."""
        if self.pattern and not re.fullmatch(self.pattern, value, re.IGNORECASE if google else 0):
            return False
        return not self.values or any(value in (one, google_value(one) if google else one) for one in self.values)


def _allowed(value: Any) -> str:
    if isinstance(value, _Allowed):
        return f" (one of {', '.join(value.values)})" if value.values else f" (like {value.pattern})"
    return f"={value}" if isinstance(value, str) else ""


def _has_requirements(stack: Stack) -> bool:
    configured = bool(stack.config.get("labels") or stack.config.get("keys"))
    return configured or any("requiredLabels" in each.names for each in read_registered_facts(stack.resources))


def _required(stack: Stack) -> Callable[[Resource], Mapping[str, Any] | Unknown]:
    configured = labels_at(stack.config.get("labels"))
    keys = stack.config.get("keys")
    if not keys and not configured:
        return _registered(stack.resources)
    required = {**dict(map(_entry, keys or ())), **(configured if configured is not UNKNOWN else {})}
    return lambda _: required


def _entry(entry: str | Mapping[str, Any]) -> tuple[str, Any]:
    """A required key, and its values: UNKNOWN for any."""
    if isinstance(entry, str):
        return entry, UNKNOWN
    allowed = _Allowed(values=tuple(entry.get("values") or ()), pattern=entry.get("pattern") or "")
    return entry["key"], UNKNOWN if allowed == _Allowed() else allowed


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
    given = {key: carried.get(there) for key in sorted(required) if (there := _key_of(labels, key))}
    missing = [key for key, value in given.items() if _is_blank(value)]
    return missing, [key for key in given if key not in missing and _differs(labels, given[key], required[key])]


def _not_known(labels: LabelSet, required: Mapping[str, Any]) -> list[str]:
    """The keys whose values are limited, and not known yet."""
    carried = labels_at(labels.labels)
    return [
        key
        for key, allowed in sorted(required.items())
        if isinstance(allowed, _Allowed)
        and carried is not UNKNOWN
        and carried.get(_key_of(labels, key) or key) is UNKNOWN
    ]


def _key_of(labels: LabelSet, key: str) -> str | None:
    """The form of a key there: Google Cloud has lower case only, and what Kubernetes refuses needs no label there."""
    if not problem_of_key(key, labels.syntax):
        return key
    return google_value(key) if labels.syntax is LabelSyntax.GOOGLE else None


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def _kept(resource: Resource, labels: LabelSet) -> bool:
    """Whether they are kept unchanged after creation: new labels would replace a running resource."""
    return any(
        path == tuple(map(str, labels.place[: len(path)])) for path in (tuple(k.split(".")) for k in resource.keeps)
    )


def _edits(labels: LabelSet, wrong: Mapping[str, Any]) -> Iterator[Edit]:
    """The edit; a value that is unknown, or that needs another form here, is empty."""
    if wrong and labels.place:
        values = {
            _key_of(labels, key) or key: str(value) if _writable(labels, key, value) else ""
            for key, value in wrong.items()
        }
        yield Edit(labels.place, labels.written(values))


def _writable(labels: LabelSet, key: str, value: Any) -> bool:
    if value in (UNKNOWN, None, "") or isinstance(value, _Allowed):
        return False
    return not problem_of_key(key, labels.syntax) and not problem_of_value(str(value), labels.syntax)


def _problems(labels: LabelSet, missing: list[str], differing: list[str], required: Mapping[str, Any]) -> Iterator[str]:
    several = [key for key in differing if isinstance(required[key], _Allowed)]
    for keys, problem in (
        (missing, "missing"),
        ([key for key in differing if key not in several], "not the required value"),
        (several, "not an allowed value"),
    ):
        if keys:
            yield f"{labels.where}: {', '.join(f'`{key}`' for key in keys)} {problem}"


def _differs(labels: LabelSet, carried: Any, required: Any) -> bool:
    """Whether values differ; a value that another cloud or Kubernetes does not support may have any other form."""
    if carried is UNKNOWN or required is UNKNOWN:
        return False
    if isinstance(required, _Allowed):
        return not required.has(str(carried), google=labels.syntax is LabelSyntax.GOOGLE)
    if labels.syntax is not LabelSyntax.AWS and problem_of_value(str(required), labels.syntax):
        return False
    return str(carried) != str(required)


Labels = Mapping[str, Any] | Unknown


def _registered(resources: Resources) -> Callable[[Resource], Labels]:
    """Required labels of each resource: those of all components around it; of two values the inner one's.

    So an inner component cannot free what is below it. A resource outside every such component requires the keys of
    all of them.
    """
    by_urn = {
        each.component.urn: each.facts.required_labels
        for each in read_registered_facts(resources)
        if each.facts.required_labels is not None
    }
    agreed = _agreed(list(by_urn.values()))

    def of(resource: Resource) -> Labels:
        around = [by_urn[parent.urn] for parent in resources.parents(resource) if parent.urn in by_urn]
        known = [labels for labels in around if labels is not UNKNOWN]
        if not around or len(known) < len(around):
            return UNKNOWN if around else agreed
        return {key: value for labels in reversed(known) for key, value in labels.items()}

    return of


def _agreed(each: list[Labels]) -> Labels:
    """Every key of any, with its value if all have the same one, so that no component takes a key away."""
    known = [labels for labels in each if labels is not UNKNOWN]
    if len(known) < len(each):
        return UNKNOWN
    merged = {key: value for labels in known for key, value in labels.items()}
    return {
        key: value if all(labels.get(key) == value for labels in known) else UNKNOWN for key, value in merged.items()
    }


RULE: Final = StackRule(
    name="required-labels",
    title="Every resource that supports labels has the required ones",
    why="A resource without owner and cost centre cannot be charged to anyone, and is never cleaned up. Tags of a "
    "node group, an instance or an Auto Scaling group do not reach the instances and disks that it starts.",
    fix="Give it the labels of the cluster, with the same values; `gpucluster guardrails check` prints what to write, "
    "and where.",
    reads="tags and labels of every resource that supports them, by the provider's own list of types; the fact "
    "requiredLabels, or the configured labels; without both, machines with eight GPUs need one of owner, team and "
    "cost-center",
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
            "additionalProperties": {"type": "string", "minLength": 1},
        },
        "keys": {
            "type": "array",
            "description": "Required labels with any value, instead of those that the components register; an entry "
            '{"key": "costCenter", "pattern": "CC-[0-9]{4}"} or {"key": "team", "values": ["research"]} also limits '
            "the whole value, on Google Cloud in lower case",
            "items": {
                "type": ["string", "object"],
                "minLength": 1,
                "required": ["key"],
                "properties": {
                    "key": {"type": "string", "minLength": 1},
                    "pattern": {"type": "string", "format": "regex"},
                    "values": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}},
                },
                "additionalProperties": False,
            },
        },
    },
)
