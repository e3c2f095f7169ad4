"""Address ranges that are the whole internet, and endpoints that answer them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from gpucluster.policies.rule import CannotTell, Finding, Violation
from gpucluster.program.resources import UNKNOWN, Resource

__all__ = ["everywhere", "reached_from"]

_EVERYWHERE: Final = ("0.0.0.0/0", "::/0")


def everywhere(ranges: Iterable[Any]) -> list[str]:
    """Those of the ranges that are everybody's."""
    return [given for given in ranges if given in _EVERYWHERE]


def reached_from(resource: Resource, ranges: Sequence[Any], endpoint: str) -> Iterator[Finding]:
    """A finding for an endpoint that answers everybody, or may: one range that is not known yet could be everybody's.

    endpoint: what answers, with its article.
    """
    if named := everywhere(ranges):
        yield Violation(resource, f"{endpoint} for {', '.join(named)}")
    elif unknown := sum(given is UNKNOWN for given in ranges):
        yield CannotTell(resource, f"ranges that reach its endpoint: {unknown} of {len(ranges)} not known yet")
