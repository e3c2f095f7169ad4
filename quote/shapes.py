"""What a plan declares but for the names of its place: plans of one shape declare the same resources.

A shape is the plan itself, with the names of region and zones as holes. Left out is what no price hangs on: texts for
people, prices in alerts, and the facts, which are put in from each plan itself.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence, Set
from decimal import Decimal
from enum import Enum
from typing import Any, Final, cast

from gpucluster.components.cloud import ClusterPlan

__all__ = ["filled", "holes", "names_of", "shape_of"]

_SAID: Final = frozenset({"facts", "choice", "gpu_hour_usd", "price_sheet"})
"""Fields of plans that are told, or stand in alerts and dashboards alone: of these counts whether they are there."""

_SHORTEST: Final = 4
"""Characters of a name that is a hole: the number of a zone means the same everywhere, and is part of the shape."""


def names_of(plan: ClusterPlan) -> dict[str, str]:
    """Hole -> name, of region, zones and whatever else its location says."""
    place = plan.location
    found = {"region": place.region, "zone": place.zone, **dict(_texts(vars(place), ""))}
    return {hole: name for hole, name in found.items() if len(name) >= _SHORTEST}


def holes(text: str, names: Mapping[str, str]) -> str:
    """A text with holes in the places of the names, the longest name first: a zone's has its region's in it."""
    for hole, name in sorted(names.items(), key=lambda item: -len(item[1])):
        text = text.replace(name, _hole(hole))
    return text


def filled(value: Any, names: Mapping[str, str]) -> Any:
    """A value of a view with the names in its holes."""
    if isinstance(value, str):
        if _OPEN in value:
            for hole, name in names.items():
                value = value.replace(_hole(hole), name)
        return value
    if isinstance(value, Mapping):
        return {filled(key, names): filled(item, names) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list):
        return [filled(item, names) for item in cast("list[Any]", value)]
    return value


def shape_of(plan: ClusterPlan) -> str:
    """The same for plans that declare the same, but for their names."""
    text = json.dumps([_plain(plan), list(plan.facts.not_built)])
    return hashlib.sha256(holes(text, names_of(plan)).encode()).hexdigest()[:32]


_OPEN: Final = "<<"


def _hole(name: str) -> str:
    return f"{_OPEN}{name}>>"


def _texts(values: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, str):
            yield f"{above}{name}", value
        elif isinstance(value, tuple):
            items = {str(at): item for at, item in enumerate(cast("tuple[Any, ...]", value))}
            yield from _texts(items, f"{above}{name}.")


def _fields(of: Any) -> dict[str, Any]:
    known = cast("dict[str, Any]", vars(of))
    return {name: item is None if name in _SAID else _plain(item) for name, item in known.items()}


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
