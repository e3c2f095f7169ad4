"""Parts of a URN."""

from __future__ import annotations


def urn_name(urn: str) -> str:
    """The resource's name in the program; it may contain the separator."""
    return urn.split("::", 3)[-1]
