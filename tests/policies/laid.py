"""A change laid into the resources of an example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

__all__ = ["laid"]


def laid(value: Any, change: Any) -> Any:
    """A change laid into a value, at any depth; numbers are places in a list, its length the one after; null takes
    away.
    """
    if isinstance(value, list) and isinstance(change, Mapping) and all(isinstance(place, int) for place in change):
        places = dict(enumerate(cast("list[Any]", value)))
        return [inner for _, inner in sorted(laid(places, change).items())]
    if not isinstance(change, Mapping) or not isinstance(value, Mapping):
        return change
    merged = {**value, **{key: laid(value.get(key), inner) for key, inner in change.items()}}
    return {key: inner for key, inner in merged.items() if inner is not None}
