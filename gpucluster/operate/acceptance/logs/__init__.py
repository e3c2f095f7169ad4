"""Logs of benchmark tools, one format per module."""

from __future__ import annotations

from gpucluster.operate.acceptance.logs.read import read_log

__all__ = ["read_log"]
