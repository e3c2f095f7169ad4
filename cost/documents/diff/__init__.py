"""The cost of a change to a program."""

from __future__ import annotations

from gpucluster.cost.documents.diff.document import diff_document

__all__ = ["diff_document"]
