"""Merge of chart values with overrides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def merged(values: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Values with others in their place, however deep."""
    found = dict(values)
    for key, value in more.items():
        both = isinstance(found.get(key), Mapping) and isinstance(value, Mapping)
        found[key] = merged(found[key], cast("Mapping[str, Any]", value)) if both else value
    return found
