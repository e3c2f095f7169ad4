"""Values of a resource: their type, and the value under a path, which may be absent or unknown before the update.

Absent is None; providers also set unset properties to an empty string, so that is None here as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final, TypeGuard

from gpucluster.core.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.core.text.json_text import BadJson, parse

MOST: Final = Decimal(10**12)
"""More than any sold or counted quantity; keeps sums exact in 28 digits."""


class BadValue(ValueError):
    """An unusable value; the message gives its name, the value and the expected one."""


def is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether the value is an object (a mapping)."""
    return isinstance(value, dict) or isinstance(value, Mapping)  # noqa: SIM101 - the first covers nearly all, and is fast


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether the value is a list."""
    return isinstance(value, list | tuple)


def at(value: object, *path: str | int) -> Any:
    """The value under `path`: UNKNOWN if anything on the path is unknown, None if it is absent."""
    for step in path:
        if value is UNKNOWN or value is None:
            return value
        if is_object(value) and isinstance(step, str):
            value = value.get(step)
        elif is_list(value) and isinstance(step, int):
            value = value[step] if step < len(value) else None
        else:
            return None
    return None if value == "" else value


def text(value: object, *path: str | int) -> str | Unknown | None:
    """A non-empty string under `path`."""
    found = at(value, *path)
    return found if found is UNKNOWN or isinstance(found, str) else None


def says(value: object, *path: str | int, word: str) -> bool | Unknown:
    """Whether the string under `path` is `word`."""
    found = text(value, *path)
    return UNKNOWN if found is UNKNOWN else found == word


def whole(value: object, *path: str | int) -> int | Unknown | None:
    """A whole number under `path`; Kubernetes and some providers write it as a string."""
    found = at(value, *path)
    if found is UNKNOWN or found is None or isinstance(found, bool):
        return UNKNOWN if found is UNKNOWN else None
    if isinstance(found, int):
        return found
    if isinstance(found, str) and found.lstrip("-").isdigit():
        return int(found)
    return None


def flag(value: object, *path: str | int) -> bool | Unknown | None:
    """A truth value under `path`; launch templates write it as "true"."""
    found = at(value, *path)
    if found is UNKNOWN or isinstance(found, bool):
        return found
    return {"true": True, "false": False}.get(found) if isinstance(found, str) else None


def items(value: object, *path: str | int) -> list[Any] | Unknown:
    """The list under `path`, empty if absent; its elements may be UNKNOWN."""
    found = at(value, *path)
    if found is UNKNOWN:
        return UNKNOWN
    return list(found) if is_list(found) else []


def known_items(value: object, *path: str | int) -> list[Any]:
    """The same, empty while the list is unknown."""
    found = items(value, *path)
    return [] if found is UNKNOWN else found


def all_items(value: object, *path: str | int) -> list[Any]:
    """The same, with UNKNOWN as its only element while the list is unknown."""
    found = items(value, *path)
    return [UNKNOWN] if found is UNKNOWN else found


def any_of(answers: Iterable[bool | Unknown | None]) -> bool | Unknown:
    """Whether one of them is True; UNKNOWN if only an unknown one may be."""
    given = [*answers]
    return True if True in given else UNKNOWN if UNKNOWN in given else False


def setting(provider: Resource | None, name: str) -> Any:
    """A setting of a provider; the SDKs write values other than strings as JSON."""
    return parsed(at(provider.inputs, name) if provider is not None else None)


def parsed(value: Any) -> Any:
    """The JSON value of a string; anything else, or invalid JSON, unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return parse(value)
    except BadJson:
        return value


def amount(value: object, what: str) -> Decimal:
    """A finite number of 0 or more, also as text. Raises BadValue naming `what` otherwise."""
    if isinstance(value, int | float | str | Decimal) and not isinstance(value, bool):
        try:
            number = Decimal(str(value))
        except InvalidOperation:
            pass
        else:
            if number.is_finite() and 0 <= number <= MOST:
                return number
    raise BadValue(f"{what} is {shown(value)}, expected a number of 0 or more")


def shown(value: object) -> str:
    """A value in a message."""
    return "not set" if value is None else repr(value)
