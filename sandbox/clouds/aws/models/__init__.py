"""The modelled types, one module per area. Importing the package registers them."""

from __future__ import annotations

from gpucluster.sandbox.clouds.aws.model import MODELS
from gpucluster.sandbox.clouds.model import load

__all__ = ["MODELS"]

load(__path__, __name__)
