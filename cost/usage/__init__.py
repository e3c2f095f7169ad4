"""The usage file: usage that no plan contains, for everything, for a type, or for one resource."""

from __future__ import annotations

from gpucluster.cost.estimate.usage import BadUsage, check_names, check_urns

__all__ = ["BadUsage", "check_names", "check_urns"]
