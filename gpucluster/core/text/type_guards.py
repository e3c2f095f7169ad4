"""Type guards for values of unknown type: JSON, YAML, the engine's messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a mapping; in the data read here its keys are strings."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a list."""
    return isinstance(value, list)


def mapping(value: object) -> Mapping[str, Any]:
    """A mapping unchanged; any other value, such as None or an unknown value, as an empty mapping."""
    return value if is_object(value) else {}


def items(value: object) -> list[Any]:
    """A list unchanged; any other value as an empty list."""
    return value if is_list(value) else []
