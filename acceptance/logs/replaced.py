"""The record of a replaced node: one JSON object, written by hand or by the runbook's command.

{"replaced": "NODE", "asked": "2026-11-03T09:00:00Z", "ready": "2026-11-03T11:30:00Z"}
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gpucluster.acceptance.measured import Replacement


def recognise(data: Any) -> bool:
    """Whether parsed JSON is such a record."""
    return isinstance(data, dict) and "replaced" in data


def read(log: str, line: int, data: Mapping[str, Any]) -> Replacement:
    """The replacement. Raises KeyError, TypeError or ValueError if a time is missing, or the end is before the
    start.
    """
    asked, ready = datetime.fromisoformat(data["asked"]), datetime.fromisoformat(data["ready"])
    hours = (ready - asked).total_seconds() / 3600
    if hours < 0:
        raise ValueError(f"ready {data['ready']} is earlier than asked {data['asked']}")
    return Replacement(log=log, line=line, node=str(data["replaced"]), hours=hours)
