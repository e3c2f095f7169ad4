"""Turns an estimate into text or JSON. Nothing is computed here that a sum of lines does not say."""

from __future__ import annotations

from gpucluster.cost.render.json import as_json
from gpucluster.cost.render.table import as_table

__all__ = ["as_json", "as_table"]
