"""Prices every resource of a Pulumi program, plan or state. Knows nothing of the components that made them."""

from __future__ import annotations

from cost.assumptions import Assumptions
from cost.estimate import Estimate, estimate
from cost.prices import PriceBook
from cost.resources import UNKNOWN, Resource, Resources

__all__ = ["UNKNOWN", "Assumptions", "Estimate", "PriceBook", "Resource", "Resources", "estimate"]
