"""One shared file system: how large, how fast, in which zone."""

from __future__ import annotations

from decimal import Decimal

from gpucluster.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.record import record


@record(kw_only=True)
class FileSystem:
    """
    gib: what it holds. mb_per_s: what it reads at most, in MB/s. zone: where it stands.
    Each is UNKNOWN while not known yet, and None where the type or its inputs do not say.
    """

    resource: Resource
    gib: Decimal | Unknown | None
    mb_per_s: Decimal | Unknown | None
    zone: str | Unknown | None


def times(count: Decimal | Unknown | None, each: int | Unknown | None, per: int) -> Decimal | Unknown | None:
    """What `count` of something give, that give `each` for `per` of them."""
    if count is None or each is None:
        return None
    return UNKNOWN if count is UNKNOWN or each is UNKNOWN else count * each / per


def number(value: int | Unknown | None) -> Decimal | Unknown | None:
    """The same, to reckon with."""
    return Decimal(value) if isinstance(value, int) else value
