"""Checks inputs against the types of the SDK: unknown property, wrong type, unlisted value, missing input.

A scalar written as another type ("3" for 3, true for "true") is accepted, as by the bridged providers.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpucluster.core.text.type_guards import is_list, is_object
from gpucluster.sandbox.clouds.types.schema import Property, ResourceType
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret


@dataclass(frozen=True)
class Failure:
    """One refused input: its path as the engine writes it, and the reason in the user's words."""

    path: str
    reason: str


def validate(
    inputs: Mapping[str, Any], resource_type: ResourceType, unlisted: Collection[str] = frozenset()
) -> list[Failure]:
    """Every failure of these inputs, in order; none for an open type.

    unlisted: paths, in the form of `general`, that accept values beyond the SDK's list.
    """
    if resource_type.open:
        return []
    checker = _Checker(resource_type, unlisted)
    return list(checker.object(inputs, resource_type.inputs, ""))


def general(path: str) -> str:
    """A path without the numbers of list items: `dataFlows[].streams[]`."""
    return re.sub(r"\[\d+\]", "[]", path)


@dataclass(frozen=True)
class _Checker:
    resource_type: ResourceType
    unlisted: Collection[str]

    def object(self, value: Mapping[str, Any], properties: Mapping[str, Property], path: str) -> Iterator[Failure]:
        for name in value:
            where = f"{path}.{name}" if path else name
            if name in properties:
                yield from self.value(value[name], properties[name].type, where)
            elif not name.startswith("__"):
                yield Failure(where, f"unknown property {name!r}{nearest(name, properties)}")
        for name, prop in properties.items():
            if prop.required and value.get(name) is None and not _is_constant(prop.type):
                yield Failure(f"{path}.{name}" if path else name, f"missing required property {name!r}")

    def value(self, value: Any, type_: Any, path: str) -> Iterator[Failure]:
        if isinstance(value, Secret):
            value = value.value
        if value is None or value is UNKNOWN or type_ == "any":
            return
        if isinstance(type_, str):
            if not _is_scalar(value, type_):
                yield Failure(path, f"expected {_TYPE_WORDS[type_]}, got {_describe(value)}")
            return
        ((kind, inner),) = type_.items()
        if kind == "list":
            yield from self._list(value, inner, path)
        elif kind == "map":
            yield from self._map(value, inner, path)
        elif kind == "ref":
            yield from self._reference(value, inner, path)
        elif kind == "const" and value != inner:
            yield Failure(path, f"expected {inner!r}, got {_describe(value)}")
        elif kind == "enum" and not _is_listed(value, inner) and general(path) not in self.unlisted:
            yield Failure(path, f"expected one of {_listed(inner)}, got {_describe(value)}")
        elif kind == "union":
            attempts = [list(self.value(value, option, path)) for option in inner]
            if all(attempts):
                yield from min(attempts, key=len)

    def _list(self, value: Any, inner: Any, path: str) -> Iterator[Failure]:
        if not is_list(value):
            yield Failure(path, f"expected a list, got {_describe(value)}")
            return
        for index, item in enumerate(value):
            yield from self.value(item, inner, f"{path}[{index}]")

    def _map(self, value: Any, inner: Any, path: str) -> Iterator[Failure]:
        if not is_object(value):
            yield Failure(path, f"expected a map, got {_describe(value)}")
            return
        for key, item in value.items():
            yield from self.value(item, inner, f'{path}["{key}"]' if "." in key else f"{path}.{key}")

    def _reference(self, value: Any, reference: str, path: str) -> Iterator[Failure]:
        if not is_object(value):
            yield Failure(path, f"expected an object, got {_describe(value)}")
            return
        yield from self.object(value, self.resource_type.types[reference], path)


_TYPE_WORDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "asset": "an asset or archive",
}


def _is_scalar(value: Any, type_: str) -> bool:
    match type_:
        case "str":
            return isinstance(value, str | int | float)
        case "bool":
            return isinstance(value, bool) or value in ("true", "false")
        case "int" | "float":
            return not isinstance(value, bool) and _is_number(value, whole=type_ == "int")
        case _:
            return is_object(value)


def _is_number(value: Any, *, whole: bool) -> bool:
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return False
    return isinstance(value, int) or (isinstance(value, float) and (not whole or value.is_integer()))


def _describe(value: Any) -> str:
    if is_list(value):
        return "a list"
    return "an object" if is_object(value) else repr(value)


def _is_listed(value: Any, values: Iterable[Any]) -> bool:
    """Whether an enumeration has a value; Azure's APIs ignore case."""
    return value in values or (isinstance(value, str) and value.lower() in {str(known).lower() for known in values})


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(map(str, values))


def _is_constant(type_: Any) -> bool:
    return isinstance(type_, dict) and "const" in type_


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error about an unknown name: the name that was meant, or all known ones."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {found[0]!r}?" if found else f"; known: {', '.join(sorted(known))}"
