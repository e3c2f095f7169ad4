"""Retention of logs of pods, as plain values: the same on every cloud. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from gpucluster.components.planning import Planning
from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec
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


# Until every cloud plans in one pass.


def log_problems(spec: ClusterSpec, days: Container[int], *, named: str) -> list[Problem]:
    """A retention that a cloud does not support. named: its service, and the values that it supports."""
    keep = spec.telemetry.logs.keep_days
    if keep == 0 or keep in days:
        return []
    return [Problem("telemetry.logs.keep_days", f"is {keep}", f"{named}, or 0 for no logs")]


def log_note(keep_days: int, *, where: str) -> str:
    """A note for the plan's reader. where: the cloud's log store."""
    if keep_days == 0:
        return "logs of pods are deleted with the pod: telemetry.logs.keep_days is 0"
    return f"logs of pods are kept for {keep_days} days in {where} (docs/logs.md)"
