"""Finds the charges of a stack: by its labels, the names in them, and the ids of its resources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from gpucluster.cost.bills.read import Wanted
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import is_list, is_object
from gpucluster.record import record
from gpucluster.textio.json_text import BadJson, parse

_LABELS: Final = frozenset({"tags", "labels", "resourceLabels"})
_STACK: Final = "pulumi_stack"
_ENOUGH: Final = 3
"""Labels that have to be on a charge which does not name the stack."""
_IDS: Final = ("id", "arn", "selfLink")
_PREFIX: Final = re.compile(r"user[_:/]")
"""AWS writes `user_team`, and in exports by columns `user:team`, for a tag `team` of the user's."""


@record(kw_only=True)
class Ours:
    """labels: those that everything named in the program carries. names: name in the labels -> URNs of the resources
    that give it to something. ids: of a resource in the cloud -> its URN, where the source is a state.
    """

    labels: Mapping[str, str]
    names: Mapping[str, frozenset[str]]
    ids: Mapping[str, str]

    @property
    def wanted(self) -> Wanted:
        """What to look for in a bill."""
        stack = self.labels.get(_STACK)
        words = {stack} if stack else set[str]() if self.labels else {*self.names}
        return Wanted(
            words=frozenset(f'"{word}"' for word in words),
            values=frozenset(f'"{value}"' for value in self.labels.values()),
            enough=self._enough,
            ids=frozenset(self.ids),
            keys=self.keys,
        )

    @property
    def _enough(self) -> int:
        """Labels that tell a charge of the stack, where it does not name the stack: all where there are few."""
        return min(_ENOUGH, max(len(self.labels), 1))

    @property
    def keys(self) -> frozenset[str]:
        """Label keys as bills may write them, one of which tells that somebody labelled a charge."""
        keys = [_STACK] if _STACK in self.labels else list(self.labels)
        return frozenset(form for key in keys for form in (key, key.replace("_", "-")))

    def holds(self, tags: Mapping[str, str]) -> bool:
        """Whether a charge with these tags is of the stack: none of its labels differs, and enough are there."""
        there = {key: tags[key] for key in self.labels if key in tags}
        if any(value != self.labels[key] for key, value in there.items()):
            return False
        return _STACK in there or len(there) >= self._enough or (not self.labels and tags.get("name") in self.names)


def ours(resources: Resources) -> Ours:
    """Of all resources of a stack."""
    sets = [(resource, labels) for resource in resources for labels in _label_sets(resource.inputs)]
    named = [(resource, labels) for resource, labels in sets if "name" in labels]
    alike = _common([labels for _, labels in named])
    names: dict[str, set[str]] = {}
    for resource, labels in named:
        names.setdefault(labels["name"], set()).add(resource.urn)
    return Ours(
        labels={key: value for key, value in sorted(alike) if key != "name"},
        names={name: frozenset(urns) for name, urns in names.items()},
        ids={id_.lower(): resource.urn for resource in resources for id_ in _ids(resource)},
    )


def _common(sets: Sequence[Mapping[str, str]]) -> set[tuple[str, str]]:
    """What all of them say."""
    first: set[tuple[str, str]] = {*sets[0].items()} if sets else set()
    return first.intersection(*(labels.items() for labels in sets[1:]))


@cache
def tags_of(text: str) -> Mapping[str, str]:
    """The tags of a charge, by keys in one spelling: an object in JSON, or a list of keys and values."""
    try:
        found: Any = parse(text) if text else None
    except BadJson:
        return {}
    if is_list(found):
        found = {each.get("key"): each.get("value") for each in found if is_object(each)}
    return _plain(found) if is_object(found) else {}


def _label_sets(value: Any, depth: int = 0) -> Iterator[dict[str, str]]:
    """Every set of labels in the inputs of a resource, which gives some to disks and machines that it makes."""
    if is_object(value):
        for key, inside in value.items():
            if key in _LABELS and is_object(inside):
                yield _plain(inside)
            else:
                yield from _label_sets(inside, depth + 1)
    elif is_list(value):
        for inside in value:
            yield from _label_sets(inside, depth + 1)


def _plain(labels: Mapping[Any, Any]) -> dict[str, str]:
    return {_key(str(key)): str(value) for key, value in labels.items() if value is not UNKNOWN and value is not None}


def _key(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "_", _PREFIX.sub("", text.lower(), count=1))


def _ids(resource: Resource) -> Iterator[str]:
    for name in _IDS:
        value = resource.outputs.get(name)
        if isinstance(value, str) and len(value) > len("vpc-1234"):
            yield value
