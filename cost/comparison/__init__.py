"""Estimates of equivalent stacks on several clouds, side by side."""

from __future__ import annotations

from gpucluster.cost.comparison.compare import Column, Comparison, PartRow, Ranked, Row, compare
from gpucluster.cost.comparison.figures import Cluster, cluster_of

__all__ = ["Cluster", "Column", "Comparison", "PartRow", "Ranked", "Row", "cluster_of", "compare"]
