"""What components, or the stack's own exports, say of themselves, read without knowing the components.

`requiredLabels`: {key: value} that everything around and inside the component carries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gpucluster.policies.label_sets import labels_at
from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown

__all__ = ["facts", "required_labels"]


def facts(resources: Resources, name: str) -> Iterator[tuple[Resource, Any]]:
    """Each component that states fact `name`, with its value."""
    for resource in resources:
        if not resource.custom and resource.facts.get(name) is not None:
            yield resource, resource.facts[name]


def required_labels(resources: Resources) -> Callable[[Resource], Mapping[str, Any] | Unknown]:
    """What each resource must carry: the labels that the nearest component around it states.

    A resource outside every such component owes what all of them agree on.
    """
    agreed = _agreed([labels_at(value) for _, value in facts(resources, "requiredLabels")])

    def of(resource: Resource) -> Mapping[str, Any] | Unknown:
        for parent in resources.parents(resource):
            if "requiredLabels" in parent.facts:
                return labels_at(parent.facts["requiredLabels"])
        return agreed

    return of


def _agreed(stated: list[Mapping[str, Any] | Unknown]) -> Mapping[str, Any] | Unknown:
    known = [labels for labels in stated if labels is not UNKNOWN]
    if len(known) < len(stated):
        return UNKNOWN
    first: Mapping[str, Any] = known[0] if known else {}
    return {key: value for key, value in first.items() if all(labels.get(key) == value for labels in known)}
