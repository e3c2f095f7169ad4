"""Times as Go and Python write them."""

from __future__ import annotations

from datetime import datetime


def seconds(timestamp: str) -> float:
    """Seconds since the epoch of an RFC 3339 time; of Go's nanoseconds, microseconds are left."""
    return datetime.fromisoformat(timestamp).timestamp()
