"""Finds the charges of a stack: by its labels, the names in them, and the ids of its resources."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from gpucluster.cost.bills.read import Wanted
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import is_list, is_object
from gpucluster.textio.json_text import BadJson, parse

_LABELS: Final = frozenset({"tags", "labels", "resourceLabels"})
_STACK: Final = "pulumi_stack"
_ENOUGH: Final = 3
"""Labels that a charge must carry if it does not name the stack."""
_IDS: Final = ("id", "arn", "selfLink")
_PREFIX: Final = re.compile(r"user[_:/]")
"""For a user's tag `team`, AWS writes `user_team`, or `user:team` in exports by columns."""


@dataclass(frozen=True, kw_only=True)
class Ours:
    """labels: those on every named item of the program. names: name in the labels -> URNs of the resources that set it.
    ids: of a resource in the cloud -> its URN, if the source is a state.
    """

    labels: Mapping[str, str]
    names: Mapping[str, frozenset[str]]
    ids: Mapping[str, str]

    @property
    def wanted(self) -> Wanted:
        """The search terms for a bill."""
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
        """Number of labels that identify a charge of the stack without its name: all if there are few."""
        return min(_ENOUGH, max(len(self.labels), 1))

    @property
    def keys(self) -> frozenset[str]:
        """Label keys as bills may write them; one of them shows that a charge has labels."""
        keys = [_STACK] if _STACK in self.labels else list(self.labels)
        return frozenset(form for key in keys for form in (key, key.replace("_", "-")))

    def holds(self, tags: Mapping[str, str]) -> bool:
        """Whether a charge with these tags belongs to the stack: no label differs, and enough are present."""
        there = {key: tags[key] for key in self.labels if key in tags}
        if any(value != self.labels[key] for key, value in there.items()):
            return False
        return _STACK in there or len(there) >= self._enough or (not self.labels and tags.get("name") in self.names)


def ours(resources: Resources) -> Ours:
    """The labels, names and ids of all resources of a stack."""
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
    """The labels that all of them share."""
    first: set[tuple[str, str]] = {*sets[0].items()} if sets else set()
    return first.intersection(*(labels.items() for labels in sets[1:]))


@cache
def tags_of(text: str) -> Mapping[str, str]:
    """The tags of a charge, with normalised keys, from a JSON object or a list of keys and values."""
    try:
        found: Any = parse(text) if text else None
    except BadJson:
        return {}
    if is_list(found):
        found = {each.get("key"): each.get("value") for each in found if is_object(each)}
    return _plain(found) if is_object(found) else {}


def _label_sets(value: Any, depth: int = 0) -> Iterator[dict[str, str]]:
    """Every set of labels in the inputs of a resource, some of which apply to disks and machines it creates."""
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
