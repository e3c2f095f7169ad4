"""The yearly cost of owned GPU nodes, and the use above which they are cheaper than a cloud."""

from __future__ import annotations

from gpucluster.cost.tco.inputs import BadInputs, Given, Inputs
from gpucluster.cost.tco.own import Item, Own, own_cluster
from gpucluster.cost.tco.rental import Against, Point, against

__all__ = ["Against", "BadInputs", "Given", "Inputs", "Item", "Own", "Point", "against", "own_cluster"]
