"""Retention of logs of pods, as plain values: the same on every cloud. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from gpucluster.components.planning.planning import Planning
from gpucluster.components.spec.operations import Logs


def plan_logs(
    logs: Logs, planning: Planning[Any], *, days: Container[int], service: str, store: Callable[[int], str]
) -> int:
    """Days of retention; 0 for no logs. days: those that the cloud supports. service: its name, and these values, for
    an error. store: where it keeps logs for some days, for the note.
    """
    keep = logs.keep_days
    if keep == 0:
        planning.notes.append("logs of pods are deleted with the pod: telemetry.logs.keep_days is 0")
        return keep
    if keep not in days:
        planning.refuse("telemetry.logs.keep_days", f"is {keep}", f"{service}, or 0 for no logs")
    planning.notes.append(f"logs of pods are kept for {keep} days in {store(keep)}")
    return keep
