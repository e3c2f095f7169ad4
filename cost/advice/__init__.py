"""What would cost less, or is paid for without need: each with the inputs that it follows from."""

from __future__ import annotations

from gpucluster.cost.advice.advice import Advice, Input
from gpucluster.cost.advice.all import advice_of

__all__ = ["Advice", "Input", "advice_of"]
