"""The refusals of the provider and ARM, one module per area.

Importing the package registers them in the order of the modules' names: the first that refuses gives the answer.
"""

from __future__ import annotations

from gpucluster.sandbox.clouds.azure.model import RULES
from gpucluster.sandbox.clouds.model import load

__all__ = ["RULES"]

load(__path__, __name__)
