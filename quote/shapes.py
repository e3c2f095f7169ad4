"""What a plan declares but for the names of its place and its numbers: plans of one shape declare the same resources.

A shape is the plan itself, with holes for the names of region and zones, and for how many and how much. Left out is
what no price hangs on: texts for people, prices in alerts, and the facts, which are put in from each plan itself.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from decimal import Decimal
from enum import Enum
from typing import Any, Final, cast

from gpucluster.components.cloud import ClusterPlan
from gpucluster.quote.numbers import Number, any_numbers, numbers_of, stand_ins

Known = Mapping[str, str | Number]
"""Hole -> what a plan has there."""

_OPEN: Final = "<<"
"""What a hole begins with."""

_NUMBER: Final = f"{_OPEN}="
"""What one begins with in whose place a number stands, and no text."""

_HOLE: Final = re.compile(_OPEN + r"(\w+(?:\.\w+)?)>>")

_SAID: Final = frozenset({"facts", "choice", "gpu_hour_usd"})
"""Fields of plans that are told, or stand in alerts and dashboards alone."""

_SHEET: Final = "price_sheet"
"""A table that is told, too; what reads it is declared where there is one."""

_SHORTEST: Final = 4
"""Characters of a name that is a hole: the number of a zone means the same everywhere, and is part of the shape."""


def known_of(plan: ClusterPlan) -> Known:
    """What is in the holes of a plan."""
    return {**_names_of(plan), **numbers_of(plan)}


def holes(value: Any, plan: ClusterPlan) -> Any:
    """What a plan of `any_numbers` declares, with holes in the places of its numbers and names."""
    numbers = stand_ins(plan)
    names = {hole: str(number) for number, hole in numbers.items()} | _names_of(plan)
    return json.loads(_opened(json.dumps(_numbered(value, numbers)), names))


def holes_in(value: Any) -> Any:
    """Where a value of a view has holes: key or place in a list -> where in what stands there; True for all of a value,
    None for none.
    """
    if isinstance(value, str):
        return True if _OPEN in value else None
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value)
        if any(_OPEN in key for key in items):
            return True
    elif isinstance(value, list):
        items = dict(enumerate(cast("list[Any]", value)))
    else:
        return None
    return {key: at for key, item in items.items() if (at := holes_in(item))} or None


def filled(value: Any, known: Known, at: Any = True) -> Any:
    """A value of a view with what is in its holes. at: where `holes_in` finds them."""
    if at is None:
        return value
    if at is not True:
        new = value.copy()
        for key, inside in at.items():
            new[key] = filled(value[key], known, inside)
        return new
    if isinstance(value, str):
        if _OPEN not in value:
            return value
        if value.startswith(_NUMBER):
            return known[value[len(_NUMBER) : -2]]
        return _HOLE.sub(lambda hole: _text(known.get(hole[1], hole[0])), value)
    if isinstance(value, Mapping):
        return {filled(key, known): filled(item, known) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [filled(item, known) for item in cast("list[Any]", value)]
    return value


def shape_of(plan: ClusterPlan) -> str:
    """The same for plans that declare the same, but for their names and numbers."""
    text = json.dumps([_plain(any_numbers(plan)), list(plan.facts.not_built)])
    return hashlib.sha256(_opened(text, _names_of(plan)).encode()).hexdigest()[:32]


def _names_of(plan: ClusterPlan) -> dict[str, str]:
    """Hole -> name, of region, zones and whatever else its location says."""
    place = plan.location
    found = {"region": place.region, "zone": place.zone, **dict(_texts(vars(place), ""))}
    return {hole: name for hole, name in found.items() if len(name) >= _SHORTEST}


def _opened(text: str, names: Mapping[str, str]) -> str:
    """A text with holes in the places of the names, the longest name first: a zone's has its region's in it."""
    for hole, name in sorted(names.items(), key=lambda item: -len(item[1])):
        text = text.replace(name, f"{_OPEN}{hole}>>")
    return text


def _numbered(value: Any, numbers: Mapping[Number, str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _numbered(item, numbers) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [_numbered(item, numbers) for item in cast("list[Any]", value)]
    hole = numbers.get(cast("int", value)) if isinstance(value, int | float) else None
    return value if hole is None else f"{_NUMBER}{hole}>>"


def _text(value: str | Number) -> str:
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def _texts(values: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, str):
            yield f"{above}{name}", value
        elif isinstance(value, tuple):
            items = {str(at): item for at, item in enumerate(cast("tuple[Any, ...]", value))}
            yield from _texts(items, f"{above}{name}.")


def _fields(of: Any) -> dict[str, Any]:
    known = cast("dict[str, Any]", vars(of))
    return {name: item is None if name == _SHEET else _plain(item) for name, item in known.items() if name not in _SAID}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal | Enum):
        return str(value)
    if dataclasses.is_dataclass(value):
        return [type(value).__qualname__, _fields(value)]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, Set):
        return sorted(map(str, cast("Set[Any]", value)))
    if isinstance(value, Sequence):
        return [_plain(item) for item in cast("Sequence[Any]", value)]
    raise TypeError(f"a plan holds {type(value).__qualname__}, by which no shape is told")
