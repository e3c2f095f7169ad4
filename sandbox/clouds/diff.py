"""The difference of two sets of inputs as property paths."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gpucluster.core.text.type_guards import is_list, is_object
from gpucluster.sandbox.clouds.types.values import UNKNOWN, Secret


class Kind(enum.Enum):
    """The kind of change of a property."""

    ADD = "add"
    DELETE = "delete"
    UPDATE = "update"


@dataclass(frozen=True)
class Change:
    """One changed property: its path as the engine writes it, e.g. `tags["a.b"]` or `rules[0].port`."""

    path: str
    kind: Kind


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Change]:
    """The deepest changed properties from `old` to `new`; null equals a missing value, `__x` keys are skipped."""
    return list(_object(_visible(old), _visible(new), ""))


def property_names(path: str) -> tuple[str, ...]:
    """The names along a path without list indexes: `rules[0].port` -> ("rules", "port")."""
    quoted = re.findall(r'\["((?:[^"\\]|\\.)*)"\]|\[\d+\]|([^.\[\]]+)', path)
    return tuple(key or name for key, name in quoted if key or name)


def _visible(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if not key.startswith("__")}


def _object(old: Mapping[str, Any], new: Mapping[str, Any], path: str) -> Iterator[Change]:
    for key in sorted({*old, *new}):
        yield from _value(old.get(key), new.get(key), _join(path, key))


def _value(old: Any, new: Any, path: str) -> Iterator[Change]:
    old, new = _open(old), _open(new)
    if old is None and new is None:
        return
    if old is None:
        yield Change(path, Kind.ADD)
    elif new is None:
        yield Change(path, Kind.DELETE)
    elif is_object(old) and is_object(new):
        yield from _object(old, new, path)
    elif is_list(old) and is_list(new):
        for index in range(max(len(old), len(new))):
            yield from _value(
                old[index] if index < len(old) else None, new[index] if index < len(new) else None, f"{path}[{index}]"
            )
    elif new is UNKNOWN or old != new:
        yield Change(path, Kind.UPDATE)


def _open(value: Any) -> Any:
    return value.value if isinstance(value, Secret) else value


def _join(path: str, key: str) -> str:
    if re.fullmatch(r"[A-Za-z_$][\w$]*", key):
        return f"{path}.{key}" if path else key
    escaped = key.replace("\\", "\\\\").replace('"', '\\"')
    return f'{path}["{escaped}"]'
