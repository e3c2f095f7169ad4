"""Retention of logs of pods, as plain values: the same on every cloud. Imports no Pulumi."""

from __future__ import annotations

from collections.abc import Container

from gpucluster.components.problem import Problem
from gpucluster.components.spec.cluster import ClusterSpec


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
