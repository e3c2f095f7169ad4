"""What a cluster says of itself beyond its costs, read by shape as `cost.facts` does: no component is known here.

A component is heard as the cluster when its facts hold `equivalence`, an object of what two clusters are compared by.

===================  ============================================================================================
`equivalence`        property -> value; numbers are per training node, of the file system, or of the whole pool
`losses`             what the cloud can't give of what was asked, one text each
`requiredLabels`     labels of the spec
`trainingGpus`       GPUs that training jobs can use; `spareGpus` those bought beside them
`durationDays`       days the cluster is wanted for
===================  ============================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import is_list, is_object

__all__ = ["Cluster", "cluster_of"]

_ASKED: Final = {
    "trainingGpus": "training GPUs",
    "spareGpus": "spare GPUs",
    "durationDays": "duration in days",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    """One cluster. asked: what its spec asked for, in words -> value. equivalence: what came of it."""

    name: str
    asked: Mapping[str, str]
    equivalence: Mapping[str, str] = field(default_factory=dict[str, str])
    losses: tuple[str, ...] = ()


def cluster_of(resources: Resources) -> Cluster | None:
    """The cluster of a stack; None when no component says what it is, or when several do."""
    found = [component for component in resources if not component.custom and _equivalence(component) is not None]
    return _cluster(found[0]) if len(found) == 1 else None


def _cluster(component: Resource) -> Cluster:
    facts = component.facts
    asked = {"name": component.name}
    asked |= {words: _text(facts[key]) for key, words in _ASKED.items() if facts.get(key) is not None}
    labels = facts.get("requiredLabels")
    asked |= {f"label {key}": _text(labels[key]) for key in sorted(labels)} if is_object(labels) else {}
    equivalence = _equivalence(component) or {}
    if "accelerator" in equivalence:
        asked["accelerator"] = _text(equivalence["accelerator"])
    losses = facts.get("losses")
    return Cluster(
        name=component.name,
        asked=asked,
        equivalence={key: _text(value) for key, value in equivalence.items() if value is not None},
        losses=tuple(map(_text, losses)) if is_list(losses) else (),
    )


def _equivalence(component: Resource) -> Mapping[str, Any] | None:
    found = component.facts.get("equivalence")
    return found if is_object(found) else None


def _text(value: object) -> str:
    """A value in words; whole numbers without a fraction, since JSON has one kind of number."""
    if value is UNKNOWN:
        return UNKNOWN.value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
