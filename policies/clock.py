"""The date for checking exemptions."""

from __future__ import annotations

import datetime


def today() -> datetime.date:
    """The date in UTC: the same for all users of one plan."""
    return datetime.datetime.now(datetime.UTC).date()
