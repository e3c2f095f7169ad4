"""Times as Go and Python write them."""

from __future__ import annotations

from datetime import datetime

__all__ = ["seconds"]


def seconds(timestamp: str) -> float:
    """Seconds since the epoch of an RFC 3339 time; Go's nanoseconds are cut, more digits than Python reads."""
    whole, _, rest = timestamp.partition(".")
    zone = rest.lstrip("0123456789")
    return datetime.fromisoformat((whole + zone).replace("Z", "+00:00")).timestamp()
