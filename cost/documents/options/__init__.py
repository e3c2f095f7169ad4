"""Purchase options for the machines of a stack."""

from __future__ import annotations

from gpucluster.cost.documents.options.document import options_document

__all__ = ["options_document"]
