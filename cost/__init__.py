"""Prices every resource of a Pulumi program, plan or state. Independent of the components that made them."""

from __future__ import annotations

from gpucluster.cost.estimate.estimate import Estimate, estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions

__all__ = ["Assumptions", "Estimate", "PriceBook", "estimate"]
