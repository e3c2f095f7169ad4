"""Retention of logs of pods, as plain values: the same on every cloud. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Container

from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec


def log_problems(spec: ClusterSpec, days: Container[int], *, named: str) -> list[Problem]:
    """A number of days that a cloud does not take. named: its service, and the numbers that it does take."""
    keep = spec.telemetry.logs.keep_days
    if keep == 0 or keep in days:
        return []
    return [Problem("telemetry.logs.keep_days", f"is {keep}", f"{named}, or 0 for no logs")]


def log_note(keep_days: int, *, where: str) -> str:
    """What whoever reads the plan should know. where: the cloud's own."""
    if keep_days == 0:
        return "logs of pods are deleted with the pod: telemetry.logs.keep_days is 0"
    return f"logs of pods are kept for {keep_days} days in {where} (docs/logs.md)"
