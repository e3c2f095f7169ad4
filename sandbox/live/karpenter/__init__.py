"""Karpenter's own controllers, on machines of the catalog."""

from __future__ import annotations

from gpucluster.sandbox.live.karpenter.start import controller, said_of

__all__ = ["controller", "said_of"]
