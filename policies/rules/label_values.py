"""The cloud accepts the syntax of all labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from gpucluster.core.catalog.labels import MOST_LABELS, LabelSyntax, problem_of_key, problem_of_value
from gpucluster.core.catalog.nodes import problem_of_node_label
from gpucluster.core.program.resources import UNKNOWN, Resource
from gpucluster.policies.clouds.label_sets import LabelSet, label_sets
from gpucluster.policies.engine.rule import CannotTell, Enforcement, Finding, ResourceRule, Severity, Violation
from gpucluster.policies.frameworks import FINOPS_ALLOCATION


def check(resource: Resource) -> Iterator[Finding]:
    sets = list(label_sets(resource))
    problems = [problem for labels in sets for problem in _problems(labels)]
    unknown = [place for labels in sets for place in _unknown(labels)]
    if problems:
        yield Violation(resource, "; ".join(problems))
    if unknown:
        yield CannotTell(resource, f"{', '.join(unknown)} not known yet")


def _problems(labels: LabelSet) -> Iterator[str]:
    """Problems of a set, and of each label up to the maximum per resource."""
    if labels.labels is UNKNOWN:
        return
    most = MOST_LABELS.get(labels.syntax)
    if most is not None and len(labels.labels) > most:
        kind = "labels" if labels.syntax is LabelSyntax.GOOGLE else "tags"
        yield f"{labels.where}: {len(labels.labels)} {kind}; {labels.syntax.value} allows {most}"
    if labels.syntax is LabelSyntax.AZURE:
        yield from (f"{labels.where}: keys {keys} collide; Azure ignores case" for keys in _same(labels.labels))
    for key, value in islice(labels.labels.items(), most):
        if (problem := problem_of_key(key, labels.syntax)) or (
            labels.node_domains and (problem := problem_of_node_label(key, labels.node_domains))
        ):
            yield f"{labels.where}: key `{key}` {problem}"
        if isinstance(value, str) and (problem := problem_of_value(value, labels.syntax)):
            yield f"{labels.where}: value of `{key}` {problem}"


def _same(keys: Iterable[str]) -> Iterator[str]:
    """Keys that differ only in case."""
    by_lower: dict[str, list[str]] = {}
    for key in keys:
        by_lower.setdefault(key.lower(), []).append(key)
    return (" and ".join(f"`{key}`" for key in group) for group in by_lower.values() if len(group) > 1)


def _unknown(labels: LabelSet) -> list[str]:
    if labels.labels is UNKNOWN:
        return [labels.where]
    return [f"value of `{key}` in {labels.where}" for key, value in labels.labels.items() if value is UNKNOWN]


RULE: Final = ResourceRule(
    name="label-values",
    title="Labels follow the syntax rules of their cloud",
    why="The cloud refuses the resource in the middle of the update, starts a machine that never joins, or drops the "
    "label from the bill.",
    fix="Shorten the value or remove the reported character; give a node label your own domain.",
    reads="tags and labels of every resource that supports them",
    spec="labels",
    severity=Severity.MEDIUM,
    enforcement=Enforcement.MANDATORY,
    order=160,
    frameworks=(FINOPS_ALLOCATION,),
    check=check,
)
