"""Type guards for values of unknown origin: JSON, YAML, what the engine sends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard


def is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is a mapping; in what we read its keys are strings."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a value is a list."""
    return isinstance(value, list)


def mapping(value: object) -> Mapping[str, Any]:
    """A mapping as it is; anything else, such as nothing or a value that is not known, as an empty one."""
    return value if is_object(value) else {}


def items(value: object) -> list[Any]:
    """A list as it is; anything else as an empty one."""
    return value if is_list(value) else []
