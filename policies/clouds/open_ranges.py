"""Address ranges that are the whole internet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

__all__ = ["everywhere"]

_EVERYWHERE: Final = ("0.0.0.0/0", "::/0")


def everywhere(ranges: Iterable[Any]) -> list[str]:
    """Those of the ranges that are everybody's."""
    return [given for given in ranges if given in _EVERYWHERE]
