"""The estimate as a FOCUS 1.2 dataset for other FinOps tools."""

from __future__ import annotations

from gpucluster.cost.documents.focus.csv import as_focus

__all__ = ["as_focus"]
