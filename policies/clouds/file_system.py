"""A shared file system: size, throughput and zone."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.record import record


@record(kw_only=True)
class FileSystem:
    """
    gib: capacity. mb_per_s: maximum read throughput in MB/s. zone: its location.
    Each is UNKNOWN before it is known, and None if the type or its inputs do not state it.
    """

    resource: Resource
    gib: Decimal | Unknown | None
    mb_per_s: Decimal | Unknown | None
    zone: str | Unknown | None


def times(count: Decimal | Unknown | None, each: int | Unknown | None, per: int) -> Decimal | Unknown | None:
    """The total of `count` units with `each` for every `per` units."""
    if count is None or each is None:
        return None
    return UNKNOWN if count is UNKNOWN or each is UNKNOWN else count * each / per


def number(value: int | Unknown | None) -> Decimal | Unknown | None:
    """The same, as a number for calculations."""
    return Decimal(value) if isinstance(value, int) else value
