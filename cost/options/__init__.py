"""The same stack under every way to buy its GPU machines: amortised, as cash, with what spot interrupts, in mixes."""

from __future__ import annotations

from gpucluster.cost.options.options import Options, PoolOptions, options_of
from gpucluster.cost.options.price import Option
from gpucluster.cost.options.settings import Settings
from gpucluster.cost.options.ways import Way

__all__ = ["Option", "Options", "PoolOptions", "Settings", "Way", "options_of"]
