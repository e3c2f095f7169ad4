"""Parts of a URN."""

from __future__ import annotations


def urn_name(urn: str) -> str:
    """The name that a program gives the resource; it may have the separator in it."""
    return urn.split("::", 3)[-1]
