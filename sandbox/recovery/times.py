"""Parses times as Go and Python write them."""

from __future__ import annotations

from datetime import datetime


def seconds(timestamp: str) -> float:
    """Seconds since the epoch of an RFC 3339 time; Go's nanoseconds are cut to microseconds."""
    return datetime.fromisoformat(timestamp).timestamp()
