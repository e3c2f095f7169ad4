"""Required labels of resources, as stated by components or by the stack's own exports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.stated import stated

Labels = Mapping[str, Any] | Unknown


def required_labels(resources: Resources) -> Callable[[Resource], Labels]:
    """Required labels of each resource: those of the nearest component around it.

    A resource outside every such component requires the labels common to all of them.
    """
    by_urn = {
        each.component.urn: each.facts.required_labels
        for each in stated(resources)
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
