"""Your own nodes compared with a cloud."""

from __future__ import annotations

from gpucluster.cost.documents.tco.document import tco_document

__all__ = ["tco_document"]
