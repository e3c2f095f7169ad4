"""One view of a Pulumi resource from any source.

Four sources provide resources: the running program, a policy pack, a plan file (`pulumi preview --json`) and a
state file (`pulumi stack export`). Each reader turns its own form into `Resource`, and everything after that
(prices, guardrails) reads only this form. Limits of each source:

========  =========================  ======================================  =============================
source    inputs                     outputs                                 deletions
========  =========================  ======================================  =============================
program   yes; an output that only   no                                      no
          the cloud knows: UNKNOWN
policy    yes, merged from outputs   what a component registered             no
plan      yes                        what a component registered, updates    yes (not part of this view)
state     yes                        yes                                     no
========  =========================  ======================================  =============================
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final, TypeVar, cast

_T = TypeVar("_T")

_STACK: Final = "pulumi:pulumi:Stack"
_WITH_PARTS: Final = ("pulumi:", "gpucluster:")
"""Prefixes of the types whose parts are always here: of the engine, and of our components."""


class Unknown(enum.Enum):
    """The type of `UNKNOWN`, the only value for "not known before the update"."""

    UNKNOWN = "not known before the update"

    def __bool__(self) -> bool:
        raise TypeError("a value that is not known yet is neither true nor false; compare with `is UNKNOWN`")


UNKNOWN: Final = Unknown.UNKNOWN


def region_key(package: str) -> str:
    """The configuration key for the region of a package's default provider."""
    return "location" if package == "azure-native" else "region"


def urn_type(urn: str) -> str:
    """The type token in a URN, without its parents' types."""
    return urn.split("::")[2].rsplit("$", 1)[-1]


def key_of(urn: str) -> str:
    """A URN without stack and project: the same in every stack of a program."""
    return urn.split("::", 2)[2]


def urn_name(urn: str) -> str:
    """The logical name in a URN; it may contain the separator."""
    return urn.split("::", 3)[-1]


def urn_stack(urn: str) -> str:
    """The stack in a URN."""
    return urn.split("::")[0].removeprefix("urn:pulumi:")


@dataclass(frozen=True, kw_only=True)
class Resource:
    """One resource as a program declares it.

    urn: the engine's identity of the resource; the same in every source.
    type: type token, e.g. `aws:ec2/vpc:Vpc`.
    name: logical name.
    inputs: camelCase keys as in the engine; plain str, int, float, bool, list, dict, None, or UNKNOWN at
        any depth. Secrets are UNKNOWN.
    outputs: values of the source beyond the inputs; for a component the registered ones.
    custom: False for a component, which itself owns no cloud resource.
    parent: URN of the parent, None at the top.
    provider: URN of the provider resource, None for a default provider that the source does not contain.
    dependencies: input property -> URNs of the resources its value depends on.
    source_position: `path#line` of the declaration if the source knows it.
    protect: whether the engine refuses to delete it, if the source knows it.
    keeps: properties that keep their initial value, whatever the program sets (`ignoreChanges`), if the source knows
        them.
    remote: whether it may be a component of a package in another language, as far as the source shows.
    """

    urn: str
    type: str
    name: str
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    outputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    custom: bool = True
    parent: str | None = None
    provider: str | None = None
    dependencies: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    source_position: str | None = None
    protect: bool = False
    keeps: tuple[str, ...] = ()
    remote: bool = False

    @property
    def registered(self) -> Mapping[str, Any]:
        """The registered values of a component: outputs over inputs, since a plan has those and a policy these."""
        return {**self.inputs, **self.outputs}

    def with_inputs(self, inputs: Mapping[str, Any], type_: str) -> Resource:
        """A copy with other inputs and type, five times as fast as `replace`: a cost estimate makes one of each. It
        leaves `__dict__` alone, which would keep a dictionary for every resource, in the way of the garbage collector.
        """
        found = object.__new__(Resource)
        for name in _FIELDS:
            object.__setattr__(found, name, getattr(self, name))
        object.__setattr__(found, "inputs", inputs)
        object.__setattr__(found, "type", type_)
        return found


_FIELDS: Final = tuple(one.name for one in fields(Resource))


class Resources:
    """The resources of one stack, looked up by URN, type, reference and parentage."""

    def __init__(self, resources: Iterable[Resource], *, default_regions: Mapping[str, str] | None = None) -> None:
        """
        default_regions: package -> region of the default provider, from the stack's configuration.
        """
        self._by_urn = {resource.urn: resource for resource in resources}
        self._default_regions = dict(default_regions or {})
        self._regions_of: Mapping[str, Mapping[str, str]] = {}
        self._by_type: dict[str, list[Resource]] | None = None
        self._objects: dict[str, dict[tuple[str | None, str], list[Resource]]] = {}
        self._ids: dict[str, Mapping[str, Resource]] = {}
        self._read: dict[Callable[[Resources], Iterable[Any]], Sequence[Any]] = {}
        self.settings: Mapping[str, Any] = {}
        """Settings of the reader's about the whole stack, to be set before `once` is called."""

    @classmethod
    def joined(cls, parts: Sequence[Resources]) -> Resources:
        """Parts of one stack, whose default providers may have different regions."""
        found = cls(resource for part in parts for resource in part)
        found._regions_of = {resource.urn: part._default_regions for part in parts for resource in part}
        return found

    def changed(self, change: Callable[[Resource], Resource]) -> Resources:
        """A copy with each resource as `change` returns it."""
        found = Resources(map(change, self), default_regions=self._default_regions)
        found._regions_of = self._regions_of
        return found

    def __iter__(self) -> Iterator[Resource]:
        return iter(self._by_urn.values())

    def __len__(self) -> int:
        return len(self._by_urn)

    @property
    def stack(self) -> str:
        """Name of the stack, empty if no resource states it."""
        return next(map(urn_stack, self._by_urn), "")

    def get(self, urn: str | None) -> Resource | None:
        """The resource with this URN, None if it is not part of the stack."""
        return None if urn is None else self._by_urn.get(urn)

    def present(self, urns: Iterable[str]) -> list[Resource]:
        """The resources with these URNs, each once, without those that are not part of the stack."""
        return [found for urn in dict.fromkeys(urns) if (found := self._by_urn.get(urn)) is not None]

    def of_type(self, *types: str) -> Sequence[Resource]:
        """The resources of each type, in the order of the source."""
        if self._by_type is None:
            self._by_type = {}
            for resource in self:
                self._by_type.setdefault(resource.type, []).append(resource)
        return [resource for type_ in types for resource in self._by_type.get(type_, ())]

    def objects_named(self, type_: str, name: str, *, provider: str | None) -> Sequence[Resource]:
        """The Kubernetes objects of one type with this `metadata.name`, in the cluster of `provider`."""
        if type_ not in self._objects:
            index = self._objects[type_] = {}
            for resource in self.of_type(type_):
                match resource.inputs.get("metadata"):
                    case {"name": str(found)}:
                        index.setdefault((resource.provider, found), []).append(resource)
                    case _:
                        pass
        return self._objects[type_].get((provider, name), [])

    def referred(self, resource: Resource, prop: str, type_: str) -> Resource | None:
        """The resource of type `type_` on which input `prop` depends, or whose id in a state it contains; None without
        one.
        """
        value = resource.inputs.get(prop)
        made = self.present(resource.dependencies.get(prop, ()))
        found = next((found for found in made if found.type == type_), None)
        if found is not None or value is None or value is UNKNOWN or made:
            return found
        ids = self._ids_of(type_)
        return next((ids[text] for text in _texts(value) if text in ids), None) if ids else None

    def _ids_of(self, type_: str) -> Mapping[str, Resource]:
        """Id, ARN and link -> resource, as far as the cloud answered them."""
        if type_ not in self._ids:
            self._ids[type_] = {
                text: one
                for one in self.of_type(type_)
                if one.outputs
                for key in _IDS
                if isinstance(text := one.outputs.get(key), str) and text
            }
        return self._ids[type_]

    def parents(self, resource: Resource) -> Iterator[Resource]:
        """The components around a resource, nearest first."""
        parent, seen = self.get(resource.parent), {resource.urn}
        while parent is not None and parent.urn not in seen:  # a file may say that a resource is its own parent
            seen.add(parent.urn)
            yield parent
            parent = self.get(parent.parent)

    def component_of(self, resource: Resource) -> Resource | None:
        """The nearest component around a resource; None if only the stack is."""
        return next((one for one in self.parents(resource) if not one.custom and one.type != _STACK), None)

    def hides_parts(self, component: Resource) -> bool:
        """Whether all resources of a component of another language are missing: its program did not run."""
        return component.urn in self.once(_without_parts)

    def once(self, read: Callable[[Resources], Iterable[_T]]) -> Sequence[_T]:
        """The result of `read` for these resources."""
        if read not in self._read:
            self._read[read] = tuple(read(self))
        return self._read[read]

    def region(self, resource: Resource) -> str | Unknown | None:
        """The region of a resource: its own, else its provider's; None if no source states it."""
        package = resource.type.split(":", 1)[0]
        key = region_key(package)
        own = resource.inputs.get(key)
        if own is not None:
            return own
        provider = self.get(resource.provider)
        if provider is not None and key in provider.inputs:
            return provider.inputs[key]
        return self._regions_of.get(resource.urn, self._default_regions).get(package)


_IDS: Final = ("id", "arn", "selfLink")
"""Outputs by which inputs of others name a resource."""


def _texts(value: Any) -> Iterator[str]:
    """Every text inside a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        plain = cast("dict[str, Any] | list[Any] | tuple[Any, ...]", value)
        # Not recorded as read.
        for one in dict[str, Any].values(plain) if isinstance(plain, dict) else plain:
            yield from _texts(one)


def once(read: Callable[[Resources], Iterable[_T]]) -> Callable[[Resources], Sequence[_T]]:
    """Caches the result per resources: dozens of rules request the pools of a stack."""

    @functools.wraps(read)
    def found(resources: Resources) -> Sequence[_T]:
        return resources.once(read)

    return found


def _without_parts(resources: Resources) -> Iterator[str]:
    """URNs of components of other languages without any resource but those that the program itself puts there."""
    candidates = {one.urn for one in resources if one.remote and not one.type.startswith(_WITH_PARTS)}
    if candidates:
        parts = (one for one in resources if one.custom and one.source_position is None)
        candidates -= {around.urn for part in parts for around in resources.parents(part)}
    yield from candidates
