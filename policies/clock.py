"""The day that exemptions are held against."""

from __future__ import annotations

import datetime


def today() -> datetime.date:
    """The day in UTC: the same for everybody who looks at one plan."""
    return datetime.datetime.now(datetime.UTC).date()
