"""The same stack with each purchase option of its GPU machines: amortised, as cash, spot with interruptions, mixes."""

from __future__ import annotations

from gpucluster.cost.purchasing.options import Options, PoolOptions, options_of
from gpucluster.cost.purchasing.price import Option
from gpucluster.cost.purchasing.purchase_options import PurchaseOption
from gpucluster.cost.purchasing.rate import Settings

__all__ = ["Option", "Options", "PoolOptions", "PurchaseOption", "Settings", "options_of"]
