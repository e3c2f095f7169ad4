"""CloudFormation's names for the types and properties of pulumi-aws: `types.csv` and `properties.csv`.

Both follow the documentation of the resources in both systems. A property without a row has Pulumi's name with a
capital.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from gpucluster.core.program.resources import UNKNOWN
from gpucluster.core.program.values import is_list, is_object
from gpucluster.operate.judges.names import Names, Place, table
from gpucluster.operate.judges.report import Remark

TYPES: Final[Mapping[str, str]] = {
    row["type"]: row["schema"] for row in table("gpucluster.operate.judges.aws", "types.csv")
}
"""Type token of pulumi-aws -> type of CloudFormation."""

NAMES: Final = Names(table("gpucluster.operate.judges.aws", "properties.csv"), lambda name: name[:1].upper() + name[1:])


Path = tuple[str | int, ...]

_MOST_TAGS: Final = 51
"""One more than a resource allows ("Tag restrictions", EC2 user guide). The time of cfn-lint grows with their square:
2,000 cost it 14 seconds of CPU, 2026-11."""


@dataclass
class Declared:
    """A resource in the form of a template.

    places: path in its properties -> the corresponding input, as named in the program.
    later: paths of values that are still unknown.
    left: inputs without a counterpart in the schema.
    broken: unreadable documents.
    """

    schema: str
    properties: dict[str, Any] = field(default_factory=dict[str, Any])
    places: dict[Path, str] = field(default_factory=dict[Path, str])
    later: set[Path] = field(default_factory=set[Path])
    left: list[str] = field(default_factory=list[str])
    broken: list[Remark] = field(default_factory=list[Remark])

    def place_of(self, path: Sequence[str | int]) -> str:
        """The input at a path, or around it; empty for the resource as a whole."""
        return next((self.places[at] for at in _upwards(path) if at in self.places), "")

    def known_later(self, path: Path) -> dict[str, str]:
        """Placeholders for an unknown value, each different, because some lists must not repeat."""
        self.later.add(path)
        return {"Fn::ImportValue": f"known-later-{len(self.later)}"}

    def is_later(self, path: Sequence[str | int]) -> bool:
        """Whether a path is at or in an unknown value."""
        return any(at in self.later for at in _upwards(path))


def declared(type_: str, inputs: Mapping[str, Any]) -> Declared:
    """The resource in CloudFormation's form; its type is one of `TYPES`."""
    writer = _Writer(type_, Declared(TYPES[type_]))
    for place in NAMES.implied(type_):
        writer.put(writer.made.properties, place.steps, json.loads(place.how[1:]), ())
    writer.members(writer.made.properties, inputs, (), "", ())
    return writer.made


def _upwards(path: Sequence[str | int]) -> list[Path]:
    return [tuple(path[:end]) for end in range(len(path), 0, -1)]


@dataclass
class _Writer:
    type: str
    made: Declared

    def members(
        self, into: dict[str, Any], values: Mapping[str, Any], names: tuple[str, ...], shown: str, at: Path
    ) -> None:
        """Writes the members of an object. names, shown: its path in the program; at: in the template."""
        for name, value in values.items():
            place = NAMES.place(self.type, (*names, name))
            label = f"{shown}.{name}" if shown else name
            if place is None:
                self.made.left.append(label)
            else:
                self._member(into, place, value, (*names, name), label, at)

    def _member(
        self, into: dict[str, Any], place: Place, value: Any, names: tuple[str, ...], shown: str, at: Path
    ) -> None:
        if not any(step.endswith("[]") for step in place.steps):
            end = (*at, *place.steps)
            self.made.places[end] = shown
            self.put(into, place.steps, self._value(value, place, names, shown, end), at)
            return
        for number, part in enumerate(_elements(value)):
            label = f"{shown}[{number}]" if is_list(value) else shown
            end = (*at, *_numbered(place.steps, number))
            self.made.places[end] = label
            self.put(into, place.steps, self._value(part, place, names, label, end), at, number)

    def put(self, into: dict[str, Any], steps: Sequence[str], value: Any, at: Path, number: int = 0) -> None:
        """Writes a value below an object, and the objects in between."""
        step, *rest = steps
        key = step.removesuffix("[]")
        if not step.endswith("[]"):
            if rest:
                self.put(into.setdefault(key, {}), rest, value, at, number)
            else:
                into[key] = value
            return
        listed: list[Any] = into.setdefault(key, [])
        if rest:
            while len(listed) <= number:
                listed.append({})
            self.put(listed[number], rest, value, at)
        else:
            listed[number : number + 1] = [value]

    def _value(self, value: Any, place: Place, names: tuple[str, ...], shown: str, at: Path) -> Any:
        if value is UNKNOWN:
            return self.made.known_later(at)
        if place.opaque:
            return self._plain(self._opaque(value, place.how, shown), at)
        if place.how == "bool" and isinstance(value, str):
            return {"true": True, "false": False}.get(value, value)
        if is_object(value):
            inner: dict[str, Any] = {}
            self.members(inner, value, names, shown, at)
            return inner
        if is_list(value):
            found: list[Any] = []
            for number, item in enumerate(value):
                self.made.places[*at, number] = f"{shown}[{number}]"
                found.append(self._value(item, place, names, f"{shown}[{number}]", (*at, number)))
            return found
        return value

    def _opaque(self, value: Any, how: str, shown: str) -> Any:
        if how == "tags" and is_object(value):
            if len(value) > _MOST_TAGS:
                self.made.left.append(f"{shown} after the first {_MOST_TAGS}")
            return [{"Key": key, "Value": item} for key, item in islice(value.items(), _MOST_TAGS)]
        if how == "json" and isinstance(value, str):
            try:
                return json.loads(value)
            except ValueError as error:
                self.made.broken.append(Remark(shown, f"not a JSON document: {error}"))
        return value

    def _plain(self, value: Any, at: Path) -> Any:
        """A value with user-defined names."""
        if value is UNKNOWN:
            return self.made.known_later(at)
        if is_object(value):
            return {key: self._plain(inner, (*at, key)) for key, inner in value.items()}
        if is_list(value):
            return [self._plain(inner, (*at, number)) for number, inner in enumerate(value)]
        return value


def _elements(value: Any) -> Sequence[Any]:
    """A list unchanged, and anything else as a list of one: Pulumi has no list if at most one element is allowed."""
    return value if is_list(value) else [value]


def _numbered(steps: Sequence[str], number: int) -> Path:
    """The path to one element of the only list among the steps."""
    found: list[str | int] = []
    for step in steps:
        found.append(step.removesuffix("[]"))
        if step.endswith("[]"):
            found.append(number)
    return tuple(found)
