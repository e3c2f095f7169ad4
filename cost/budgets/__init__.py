"""Cost limits of a stack, of label values and of pools, and whether an estimate is within them."""

from __future__ import annotations

from gpucluster.cost.budgets.limits import BadLimits, Limit, Limits, read_limits
from gpucluster.cost.budgets.verdicts import Verdict, verdicts_of

__all__ = ["BadLimits", "Limit", "Limits", "Verdict", "read_limits", "verdicts_of"]
