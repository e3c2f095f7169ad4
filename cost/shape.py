"""The shapes of values that come from JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

__all__ = ["is_list", "is_object"]


def is_object(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether the value is an object (a mapping)."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether the value is a list."""
    return isinstance(value, list | tuple)
