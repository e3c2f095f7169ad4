"""GPU machines that no other rule reads are reported.

They are found by name. A name counts under a key about machines, such as `instanceType`, `vmSize` or `sku`, and as a
word in the text of a template such as CloudFormation's. Resources that only reserve or describe machines start none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.catalog.resource_types import RESERVED_CAPACITY, holdings
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.core.program.values import is_list, is_object
from gpucluster.policies.clouds.pools import cloud_pools
from gpucluster.policies.engine.rule import Outcome, ReportRule, Severity, Stack, Violation


def check(outcomes: Sequence[Outcome], stack: Stack) -> Iterator[Violation]:
    rules_run = {outcome.rule.name: outcome.rule for outcome in outcomes}  # resource rules run repeatedly
    for found in _unread(stack.resources):
        about = [rule for rule in rules_run.values() if _about(rule.reads, found.cloud)]
        if rules := [rule.name for rule in about if found.part or found.resource.type not in rule.reads]:
            within = f"`{found.part}` of " if found.part else ""
            what = f"{', '.join(found.machines)} in {within}a resource of type {found.resource.type}"
            yield Violation(found.resource, f"{what}, which these rules do not read: {', '.join(rules)}")


def _about(reads: str, cloud: str) -> bool:
    """Whether a rule reads any type that starts machines on a cloud."""
    return any(type_ in reads for type_ in cloud_pools()[cloud].READS.split(", "))


_TYPES: Final = re.compile(r"\w*(?:instance|machine|vm)_?(?:types?|sizes?)(?:_?uri)?", re.IGNORECASE)
_SIZES: Final = re.compile(r"size|sku|sku_?name", re.IGNORECASE)
_GPUS: Final = re.compile(r"accelerator_?type|guest_?accelerators|resource_?type", re.IGNORECASE)
_TEXTS: Final = r"(?i)\w*template_?(?:body|content)?|content"
_WORD: Final = r"[\w.-]+"
# Names in metadata of a resource start nothing.
_LABELS: Final = ("labels", "resourceLabels", "tags", "tagsAll", "userLabels")

# Read by separate rules (karpenter), or for pods on nodes that another resource starts.
_KUBERNETES: Final = r"kubernetes:(?!.*(?:karpenter|cloud\.google\.com|kueue|helm\.sh))[\w-]+\.[\w.-]+/"
# The part of a type that readers of pools skip: GKE itself creates node pools within these limits, according to the
# ComputeClasses of the stack, which rules do read.
_PARTS: Final = {"gcp:container/cluster:Cluster": "clusterAutoscaling"}
# Templates of machines; references to a running machine, from a disk or a record of its address, start none.
_TEMPLATE: Final = r"(?:Template|LaunchConfiguration)$"
_COMPUTE_CLASS: Final = "kubernetes:cloud.google.com/v1:ComputeClass"


@dataclass(frozen=True, kw_only=True)
class _Unread:
    """machines: their types. cloud: of these. part: for a type that is read otherwise, the input with the machines."""

    resource: Resource
    machines: tuple[str, ...]
    cloud: str
    part: str | None


def _unread(resources: Resources) -> Iterator[_Unread]:
    """Resources that start GPU machines, of a type that no reader of pools supports."""
    read = {type_ for cloud in cloud_pools().values() for type_ in cloud.READS.split(", ")}
    for resource in resources:
        if _starts_none(resource) or (resource.type in read and resource.type not in _PARTS):
            continue
        if not resource.custom:
            yield from _in_component(resource, resources)
            continue
        part = _PARTS.get(resource.type)
        if part is not None and resources.of_type(_COMPUTE_CLASS):
            continue
        found = dict(_named(resource.inputs if part is None else resource.inputs.get(part), ""))
        if part is None:
            for urns in resource.dependencies.values():
                templates = [of for of in resources.present(urns) if re.search(_TEMPLATE, of.type)]
                found |= {name: of for template in templates for name, of in _named(template.inputs, "")}
        if found:
            yield _Unread(resource=resource, machines=tuple(found), cloud=next(iter(found.values())), part=part)


def _in_component(component: Resource, resources: Resources) -> Iterator[_Unread]:
    """A component of another language whose inputs name GPU machines that none of its resources does."""
    found = dict(_named(component.registered, "")) if component.remote else {}
    if found:
        parts = (one for one in resources if any(around.urn == component.urn for around in resources.parents(one)))
        shown = {name for part in parts if part.custom for name, _ in _named(part.inputs, "")}
        found = {name: cloud for name, cloud in found.items() if name not in shown}
    if found:
        yield _Unread(resource=component, machines=tuple(found), cloud=next(iter(found.values())), part=None)


def _starts_none(resource: Resource) -> bool:
    package = resource.type.partition(":")[0]
    held = holdings().get(resource.type)
    if held is not None and held.holds == RESERVED_CAPACITY:
        return True
    return package in ("pulumi", "gpucluster") or (package == "kubernetes" and not re.match(_KUBERNETES, resource.type))


def _named(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """(machine type, its cloud) of every GPU machine that a value names under a key."""
    left: list[tuple[Any, str]] = [(value, key)]
    while left:
        value, key = left.pop()
        if is_object(value):
            left += ((of, _key_of(key, str(name))) for name, of in value.items() if name not in _LABELS)
        elif is_list(value):
            left += ((of, key) for of in value)
        elif isinstance(value, str):
            yield from _in_text(value, key)


def _key_of(around: str, name: str) -> str:
    """The key of a member: `type` of an accelerator and `name` of a SKU refer to the key around them."""
    means = (name == "type" and _GPUS.fullmatch(around)) or (name == "name" and around == "sku")
    return around if means else name


def _in_text(value: str, key: str) -> Iterator[tuple[str, str]]:
    if any(of.fullmatch(key) for of in (_TYPES, _SIZES, _GPUS)):
        words = [value.rpartition("/")[2]]
    else:
        words = re.findall(_WORD, value) if re.fullmatch(_TEXTS, key) else []
    for word in words:
        for cloud, pools in cloud_pools().items():
            if pools.names_gpus(word):
                yield word, cloud


RULE: Final = ReportRule(
    name="gpu-machines-unread",
    title="GPU machines that no other rule reads",
    why="GPU machines in another resource type pass every rule about placement, fabric and purchase, because no rule "
    "reads them.",
    fix="Declare them as a resource type that these rules read (gpucluster guardrails explain NAME), or review them "
    "by hand.",
    reads="every resource, and component of another language, whose inputs name a machine type with GPUs, and the "
    "results of the other rules",
    severity=Severity.MEDIUM,
    order=30,
    check=check,
)
