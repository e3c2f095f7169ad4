"""How long data takes on a line, and how much a line carries. GB and TB are decimal here, as lines are sold."""

from __future__ import annotations

from decimal import Decimal


def days_to_move(terabytes: Decimal, gbps: Decimal) -> Decimal:
    """Days that data takes on a line of `gbps` Gb/s that carries nothing else and is always full."""
    return terabytes * 8000 / gbps / 86400


def flow_gigabytes(gbps: Decimal, days: Decimal) -> Decimal:
    """GB that a line of `gbps` Gb/s carries in so many days, at its full rate all the time."""
    return gbps / 8 * 86400 * days
