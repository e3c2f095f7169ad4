"""Karpenter's own controllers, on machines of the catalog."""

from __future__ import annotations

from gpucluster.sandbox.live.karpenter.start import controller, karpenter_remarks

__all__ = ["controller", "karpenter_remarks"]
