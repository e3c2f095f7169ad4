"""A bill compared with its plan."""

from __future__ import annotations

from gpucluster.cost.documents.reconciliation.document import reconciliation_document

__all__ = ["reconciliation_document"]
