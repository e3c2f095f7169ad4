"""A change laid into the resources of an example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["laid"]


def laid(value: Any, change: Any) -> Any:
    """A change laid into a value, at any depth; null takes away."""
    if not isinstance(change, Mapping) or not isinstance(value, Mapping):
        return change
    merged = {**value, **{key: laid(value.get(key), inner) for key, inner in change.items()}}
    return {key: inner for key, inner in merged.items() if inner is not None}
