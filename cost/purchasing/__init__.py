"""The same stack under every way to buy its GPU machines: amortised, as cash, with what spot interrupts, in mixes."""

from __future__ import annotations

from gpucluster.cost.purchasing.options import Options, PoolOptions, options_of
from gpucluster.cost.purchasing.price import Option
from gpucluster.cost.purchasing.settings import Settings
from gpucluster.cost.purchasing.ways import Way

__all__ = ["Option", "Options", "PoolOptions", "Settings", "Way", "options_of"]
