"""The cluster of a stack in a comparison: what its spec requests and what the cloud provides.

A component is the cluster when it states `equivalence`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from gpucluster.program.facts import Facts
from gpucluster.program.resources import UNKNOWN, Resources
from gpucluster.program.stated import stated
from gpucluster.program.values import is_object


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    """One cluster. asked: requests of its spec, in words -> value. equivalence: the resulting properties."""

    name: str
    asked: Mapping[str, str]
    equivalence: Mapping[str, str] = field(default_factory=dict[str, str])
    losses: tuple[str, ...] = ()


def cluster_of(resources: Resources) -> Cluster | None:
    """The cluster of a stack; None if no component, or several, state `equivalence`."""
    found = [each for each in stated(resources) if each.facts.equivalence]
    return _cluster(found[0].component.name, found[0].facts) if len(found) == 1 else None


def _cluster(name: str, facts: Facts) -> Cluster:
    amounts = {
        "training GPUs": facts.training_gpus,
        "spare GPUs": facts.spare_gpus,
        "duration in days": facts.duration_days,
    }
    asked = {"name": name, **{words: _text(value) for words, value in amounts.items() if value is not None}}
    labels = facts.required_labels
    asked |= {f"label {key}": _text(labels[key]) for key in sorted(labels)} if is_object(labels) else {}
    if "accelerator" in facts.equivalence:
        asked["accelerator"] = _text(facts.equivalence["accelerator"])
    return Cluster(
        name=name,
        asked=asked,
        equivalence={key: _text(value) for key, value in facts.equivalence.items() if value is not None},
        losses=facts.losses,
    )


def _text(value: object) -> str:
    """A value as text; whole numbers without a fraction, since JSON has one number type."""
    if value is UNKNOWN:
        return UNKNOWN.value
    if isinstance(value, float | Decimal) and value == int(value):
        return str(int(value))
    return str(value)
