"""Plans with placeholders for names of places and for numbers: plans of one template declare the same resources.

A template is the plan itself, with placeholders for names of region and zones, and for counts and sizes. It omits parts
that do not affect prices: texts for users, prices in alerts, and the facts, which are added from each plan. A program
only checks whether a number is above one, so plans that differ only in numbers declare the same resources.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from decimal import Decimal
from enum import Enum
from typing import Any, Final, cast

from pydantic import BaseModel

from gpucluster.components.cluster.cloud import ClusterPlan

Number = int | Decimal

_NUMBERS: Final = (
    ("training.nodes",),
    ("training.spares",),
    ("training.most_broken",),
    ("system.most", "system.nodes"),  # with a maximum, initially one node per zone, whatever the size
    ("storage.usable_gib",),
    ("storage.capacity_tib", "storage.capacity_gib"),
    ("storage.tier",),
    ("telemetry.million_samples",),
)
"""Their paths; of each line, the first that a plan has."""

_SUM: Final = "training.size"
"""Sum of nodes and spares; the plan computes it."""

_UNLIKELY: Final = 700_000_000
"""Larger than any number of a plan."""


def numbers_of(plan: ClusterPlan) -> dict[str, Number]:
    """Path in the plan -> number."""
    found = (
        ((path, number) for path in paths if (number := _at(plan, path)) is not None) for paths in (*_NUMBERS, (_SUM,))
    )
    return dict(first for each in found if (first := next(each, None)))


def any_numbers(plan: ClusterPlan) -> ClusterPlan:
    """The plan with placeholders for its numbers above one, the same for all plans."""
    new: dict[str, dict[str, Number]] = {}
    for at, (path, number) in enumerate(numbers_of(plan).items()):
        if number > 1 and path != _SUM:
            part, _, name = path.partition(".")
            new.setdefault(part, {})[name] = type(number)(_UNLIKELY + 1_000_003 * at)
    parts = {part: replace(getattr(plan, part), **values) for part, values in new.items()}
    return replace(cast("Any", plan), **parts)


def stand_ins(plan: ClusterPlan) -> dict[Number, str]:
    """Placeholders in such a plan -> their paths."""
    return {number: path for path, number in numbers_of(plan).items() if number >= _UNLIKELY}


def _at(plan: ClusterPlan, path: str) -> Number | None:
    part, _, name = path.partition(".")
    return getattr(getattr(plan, part), name, None)


Known = Mapping[str, str | Number]
"""Placeholder -> its value in a plan."""

_OPEN: Final = "<<"
"""Prefix of a placeholder."""

_NUMBER: Final = f"{_OPEN}="
"""Prefix of a placeholder for a number, not a text."""

_HOLE: Final = re.compile(_OPEN + r"(\w+(?:\.\w+)?)>>")

_SAID: Final = frozenset({"facts", "choice", "gpu_hour_usd"})
"""Fields of plans that are only shown, or used only in alerts and dashboards."""

_SHEET: Final = "price_sheet"
"""Another table that is only shown; its reader is declared if it exists."""

_SHORTEST: Final = 4
"""Minimum length of a name for a placeholder: a zone's number means the same everywhere, and is part of the shape."""


def known_of(plan: ClusterPlan) -> Known:
    """The values of a plan for the placeholders."""
    return {**_names_of(plan), **numbers_of(plan)}


def holes(value: Any, plan: ClusterPlan) -> Any:
    """The declarations of a plan of `any_numbers`, with placeholders for its numbers and names."""
    numbers = stand_ins(plan)
    names = {hole: str(number) for number, hole in numbers.items()} | _names_of(plan)
    return json.loads(_opened(json.dumps(_numbered(value, numbers)), names))


def holes_in(value: Any) -> Any:
    """Positions of placeholders in a value of a view: key or list index -> positions in that member; True for the
    whole value, None for none.
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
    """A value of a view with its placeholders filled in. at: their positions from `holes_in`."""
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
    """A key that is equal for plans with the same declarations except names and numbers."""
    text = json.dumps([_plain(any_numbers(plan)), list(plan.facts.not_built)])
    return hashlib.sha256(_opened(text, _names_of(plan)).encode()).hexdigest()[:32]


def _names_of(plan: ClusterPlan) -> dict[str, str]:
    """Placeholder -> name of region, zones and other parts of its location."""
    place = plan.location
    found = {"region": place.region, "zone": place.zone, **dict(_texts(_members(place), ""))}
    return {hole: name for hole, name in found.items() if len(name) >= _SHORTEST}


def _opened(text: str, names: Mapping[str, str]) -> str:
    """A text with placeholders for the names, longest name first: a zone's name contains its region's."""
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


def _members(of: Any) -> dict[str, Any]:
    return of.model_dump() if isinstance(of, BaseModel) else cast("dict[str, Any]", vars(of))


def _fields(of: Any) -> dict[str, Any]:
    known = _members(of).items()
    return {name: item is None if name == _SHEET else _plain(item) for name, item in known if name not in _SAID}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal | Enum):
        return str(value)
    if dataclasses.is_dataclass(value) or isinstance(value, BaseModel):
        return [type(value).__qualname__, _fields(value)]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, Set):
        return sorted(map(str, cast("Set[Any]", value)))
    if isinstance(value, Sequence):
        return [_plain(item) for item in cast("Sequence[Any]", value)]
    raise TypeError(f"a plan holds {type(value).__qualname__}, by which no shape is told")
