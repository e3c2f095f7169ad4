"""Several stacks side by side."""

from __future__ import annotations

from gpucluster.cost.documents.comparison.document import comparison_document

__all__ = ["comparison_document"]
