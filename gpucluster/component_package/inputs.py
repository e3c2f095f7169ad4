"""What a program in any language gives a cluster, as values that are known before the update."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pulumi.provider.experimental.property_value import Computed, PropertyValue

from gpucluster.components.input_error import InputError, did_you_mean
from gpucluster.program.readers.records import plain_number

__all__ = ["Inputs", "inputs_of"]

_SHAPES: Final[Mapping[str, tuple[type, str]]] = {
    "spec": (dict, "a mapping, as in a spec file"),
    "location": (dict, "a mapping"),
    "machine": (str, "a text"),
}
_NUMBERED: Final = "spec.promises.bus_gb_per_s"
"""Its keys are numbers, which no language but a spec file has."""


@dataclasses.dataclass(frozen=True)
class Inputs:
    """Of a cluster. location: an object of the class that was asked for."""

    spec: dict[str, Any]
    location: Any
    machine: str | None


def inputs_of(given: Mapping[str, PropertyValue], location: type, source: str) -> Inputs:
    """The inputs of a component. location: class of its place. source: what messages call it.

    Raises InputError with every value that no preview knows, else with all that has the wrong shape.
    """
    problems: list[str] = []
    values = {name: _plain(value, name, problems) for name, value in given.items()}
    if problems:
        raise InputError(source, problems)
    values = {name: value for name, value in values.items() if value is not None}
    problems += _strange(values, list(_SHAPES), "")
    for name, (shape, wanted) in _SHAPES.items():
        if name not in values:
            problems += [] if name == "machine" else [f"{name} is missing; write {wanted}"]
        elif not isinstance(values[name], shape):
            problems.append(f"{name} is {values[name]!r}; write {wanted}")
    fields = dataclasses.fields(location)
    place = values.get("location")
    if isinstance(place, dict):
        problems += _strange(place, [field.name for field in fields], "location.")
    if problems:
        raise InputError(source, problems)
    missing = {field.name: None for field in fields if field.default is dataclasses.MISSING}
    return Inputs(values["spec"], location(**{**missing, **values["location"]}), values.get("machine"))


def _strange(values: Iterable[str], allowed: Sequence[str], within: str) -> list[str]:
    all_of_them = f"; allowed: {', '.join(allowed)}"
    return [
        f"{within}{name} is not an input{did_you_mean(name, allowed) or all_of_them}"
        for name in values
        if name not in allowed
    ]


def _plain(given: PropertyValue, at: str, problems: list[str]) -> Any:
    """The value in dicts and lists, without members that are null. at: its full name."""
    value = given.value
    if given.is_secret:
        problems.append(f"{at} is a secret, and becomes part of names, labels and state; write it in plain text")
    elif isinstance(value, Computed):
        problems.append(
            f"{at} is not known before the update; a cluster is planned and priced in the preview: write its value, or "
            "take it from the stack's configuration"
        )
    elif isinstance(value, Mapping):
        members = {name: _plain(member, f"{at}.{name}", problems) for name, member in value.items()}
        kept = {name: member for name, member in members.items() if member is not None}
        return {_number(name): member for name, member in kept.items()} if at == _NUMBERED else kept
    elif isinstance(value, float):
        return plain_number(value)
    elif isinstance(value, str | bool) or value is None:
        return value
    elif isinstance(value, Sequence):
        return [_plain(item, f"{at}[{index}]", problems) for index, item in enumerate(value)]
    else:
        problems.append(f"{at} is a {type(value).__name__}; write a text, a number, true or false, a list or a mapping")
    return None


def _number(key: str) -> int | str:
    return int(key) if key.isdecimal() else key
