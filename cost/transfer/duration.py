"""Transfer time on a line, and the capacity of a line. GB and TB are decimal here, as lines are sold."""

from __future__ import annotations

from decimal import Decimal


def days_to_move(terabytes: Decimal, gbps: Decimal) -> Decimal:
    """Days to transfer data on a dedicated, fully used line of `gbps` Gb/s."""
    return terabytes * 8000 / gbps / 86400


def flow_gigabytes(gbps: Decimal, days: Decimal) -> Decimal:
    """GB transferred by a line of `gbps` Gb/s in so many days, at its full rate."""
    return gbps / 8 * 86400 * days
