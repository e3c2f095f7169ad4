"""Tonnes of CO2e of machines: from their power, the building's overhead, and the grid of their region."""

from __future__ import annotations

from gpucluster.cost.carbon.emissions import tonnes_a_year
from gpucluster.cost.carbon.grid import Grid, grid_of

__all__ = ["Grid", "grid_of", "tonnes_a_year"]
