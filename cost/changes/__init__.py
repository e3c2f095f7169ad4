"""How the cost of a stack changes from one plan or state to another, both at the prices of one book."""

from __future__ import annotations

from gpucluster.cost.changes.change import Change
from gpucluster.cost.changes.diff import Diff, LineChange, PartChange, diff
from gpucluster.cost.changes.losses import Loss
from gpucluster.cost.changes.side import Side

__all__ = ["Change", "Diff", "LineChange", "Loss", "PartChange", "Side", "diff"]
