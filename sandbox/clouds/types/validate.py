"""Checks inputs against the types of the SDK: unknown property, wrong type, unlisted value, missing input.

A scalar written as another type ("3" for 3, true for "true") is accepted, as by the bridged providers.
"""

from __future__ import annotations

import difflib
import json
import re
from base64 import b64decode
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from ipaddress import AddressValueError, IPv4Network, IPv6Network, NetmaskValueError, ip_address, ip_network
from typing import Any, Final

from gpucluster.core.text.type_guards import is_list, is_object, mapping
from gpucluster.sandbox.clouds.types.schema import Property, ResourceType
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret


def _ipv4_network(text: str) -> bool:
    return "/" in text and _parses(IPv4Network, text)


def _ipv6_network(text: str) -> bool:
    return "/" in text and _parses(IPv6Network, text)


def _network(text: str) -> bool:
    """As Go's net.ParseCIDR: an address, a slash and a length; host bits are allowed."""
    return "/" in text and _parses(lambda given: ip_network(given, strict=False), text)


def _address(text: str) -> bool:
    return _network(text) or _parses(ip_address, text)


def _base64(text: str) -> bool:
    return _parses(lambda given: b64decode(given, validate=True), text)


def _document(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def _iam_policy(text: str) -> bool:
    """An object with statements, each with an Allow or Deny effect, and without unknown keys at the top level.

    Source: AWS IAM user guide, "Grammar of the IAM JSON policy language".
    """
    try:
        found = json.loads(text)
    except ValueError:
        return False
    if not is_object(found) or "Statement" not in found or not {*found} <= {"Version", "Id", "Statement"}:
        return False
    statements = found["Statement"] if is_list(found["Statement"]) else [found["Statement"]]
    effects = {str(mapping(statement).get("Effect")) for statement in statements}
    return effects <= {"Allow", "Deny"} and found.get("Version", "2012-10-17") in ("2012-10-17", "2008-10-17")


def _instant(text: str) -> bool:
    """RFC 3339, with seconds and a zone."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", text):
        return False
    return _parses(datetime.fromisoformat, text)


def _parses(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except (AddressValueError, NetmaskValueError, ValueError):
        return False
    return True


def _whole(pattern: str) -> Callable[[str], bool]:
    expression = re.compile(pattern)
    return lambda text: expression.fullmatch(text) is not None


FORMATS: Final[Mapping[str, tuple[str, Callable[[str], bool]]]] = {
    "ipv4-network": ("an IPv4 network such as 10.0.0.0/16", _ipv4_network),
    "ipv6-network": ("an IPv6 network such as 2001:db8::/56", _ipv6_network),
    "network": ("a network such as 10.0.0.0/16", _network),
    "address": ("an IP address or a network", _address),
    "base64": ("text in base64", _base64),
    "whole": ("a whole number", _whole(r"|-?\d+")),
    "json": ("a JSON document", _document),
    "instant": ("a time such as 2026-01-31T08:00:00Z", _instant),
    "iam-policy": ("an IAM policy: Statement, each with an Effect, and perhaps Version and Id", _iam_policy),
    "google-duration": ("a duration in seconds such as 3.5s", _whole(r"|-?\d+(\.\d{1,9})?s")),
    "hour": ("a time of day such as 03:00", _whole(r"([01][0-9]|2[0-3]):[0-5][0-9]")),
}
"""Name -> description, and a check of a text."""


@dataclass(frozen=True)
class Failure:
    """One refused input: its path as the engine writes it, and the reason for the user."""

    path: str
    reason: str


def validate(
    inputs: Mapping[str, Any],
    resource_type: ResourceType,
    unlisted: Collection[str] = frozenset(),
    *,
    exact: bool = False,
) -> list[Failure]:
    """Every failure of these inputs, in order; none for an open type.

    unlisted: paths, in the form of `general`, that accept values beyond the SDK's list. exact: a scalar may not be
    written as another type, nor a listed value in other letters, as in the API of Kubernetes.
    """
    if resource_type.open:
        return []
    checker = _Checker(resource_type, unlisted, exact)
    return list(checker.object(inputs, resource_type.inputs, ""))


def general(path: str) -> str:
    """A path without the numbers of list items: `dataFlows[].streams[]`."""
    return re.sub(r"\[\d+\]", "[]", path)


@dataclass(frozen=True)
class _Checker:
    resource_type: ResourceType
    unlisted: Collection[str]
    exact: bool

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
            if not (_is_exact if self.exact else _is_scalar)(value, type_):
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
        elif kind == "enum" and not self._is_listed(value, inner) and general(path) not in self.unlisted:
            yield Failure(path, f"expected one of {_listed(inner)}, got {_describe(value)}")
        elif kind == "union":
            attempts = [list(self.value(value, option, path)) for option in inner]
            if all(attempts):
                yield from min(attempts, key=len)

    def _is_listed(self, value: Any, values: Iterable[Any]) -> bool:
        """Whether an enumeration has a value; Azure's APIs ignore case."""
        lower = isinstance(value, str) and not self.exact and value.lower() in {str(known).lower() for known in values}
        return lower or value in values

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


def _is_exact(value: Any, type_: str) -> bool:
    match type_:
        case "str":
            return isinstance(value, str)
        case "bool":
            return isinstance(value, bool)
        case "int" | "float":
            return not isinstance(value, bool | str) and _is_number(value, whole=type_ == "int")
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


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(str(value) for value in values if value != "")


def _is_constant(type_: Any) -> bool:
    return isinstance(type_, dict) and "const" in type_


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of an error about an unknown name: the name that was meant, or all known ones."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {found[0]!r}?" if found else f"; known: {', '.join(sorted(known))}"
