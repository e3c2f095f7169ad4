"""What has no price on one side of a change, or on both and is not the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.cost.changes.side import Side
from gpucluster.cost.model import NotPriced
from gpucluster.program.resources import UNKNOWN, Resource, key_of
from gpucluster.program.values import is_list, is_object

__all__ = ["Unpriced"]

_LABELS: Final = frozenset({"tags", "tagsAll", "labels", "resourceLabels"})
"""Keys that no bill hangs on, in the inputs of a resource and in the `metadata` of an object of Kubernetes."""

_Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Unpriced:
    """newly, no_longer: what has no price on one side only. changed: what has none on either, with other inputs.

    What is the same on both sides costs the same on both, whatever that is: it is in none of them.
    """

    newly: tuple[NotPriced, ...]
    no_longer: tuple[NotPriced, ...]
    changed: tuple[NotPriced, ...]

    @classmethod
    def of(cls, old: Side, new: Side) -> Unpriced:
        """What of two sides has no price and differs, by URN."""
        before, after = _by_key(old), _by_key(new)
        both = before.keys() & after.keys()
        return cls(
            tuple(after[key] for key in sorted(after.keys() - both)),
            tuple(before[key] for key in sorted(before.keys() - both)),
            tuple(after[key] for key in sorted(both) if not _alike(old, before[key].urn, new, after[key].urn)),
        )

    @property
    def sides(self) -> tuple[tuple[NotPriced, ...], tuple[NotPriced, ...]]:
        """What leaves the amount before open, and the amount after."""
        return (*self.no_longer, *self.changed), (*self.newly, *self.changed)


def _by_key(side: Side) -> Mapping[_Key, NotPriced]:
    return {(key_of(item.urn), item.part, item.reason): item for item in side.estimate.not_priced}


def _alike(old: Side, before: str, new: Side, after: str) -> bool:
    """Whether a resource has the same region and the same inputs on both sides, labels aside."""
    one, other = old.resources.get(before), new.resources.get(after)
    if one is None or other is None:
        return False
    regions = old.resources.region(one), new.resources.region(other)
    return _same(*regions) and _same(_billed(one), _billed(other))


def _billed(resource: Resource) -> Mapping[str, Any]:
    inputs = resource.inputs
    metadata = {"metadata": _unlabelled(inputs["metadata"])} if is_object(inputs.get("metadata")) else {}
    return {**_unlabelled(inputs), **metadata}


def _unlabelled(values: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in values.items() if key not in _LABELS}


def _same(one: Any, other: Any) -> bool:
    """Whether nothing that is known differs: ids are not known before an update, and no bill hangs on them."""
    if one is UNKNOWN or other is UNKNOWN:
        return True
    if is_object(one) and is_object(other):
        return all(_same(one.get(key), other.get(key)) for key in one.keys() | other.keys())
    if is_list(one) and is_list(other):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
