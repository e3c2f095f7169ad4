"""Estimates of equivalent stacks on several clouds, side by side."""

from __future__ import annotations

from gpucluster.cost.comparison.clusters import Cluster, cluster_of
from gpucluster.cost.comparison.compare import Column, Comparison, PartRow, Ranked, Row, compare

__all__ = ["Cluster", "Column", "Comparison", "PartRow", "Ranked", "Row", "cluster_of", "compare"]
