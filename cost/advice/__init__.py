"""Cheaper alternatives and unused capacity, each with the inputs of its figures."""

from __future__ import annotations

from gpucluster.cost.advice.advice import Advice, Input
from gpucluster.cost.advice.all import advice_of

__all__ = ["Advice", "Input", "advice_of"]
