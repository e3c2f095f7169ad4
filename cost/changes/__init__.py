"""How the cost of a stack changes from one plan or state to another, both at the prices of one book."""

from __future__ import annotations

from cost.changes.diff import Diff, LineChange, PartChange, Side, diff
from cost.changes.losses import Loss

__all__ = ["Diff", "LineChange", "Loss", "PartChange", "Side", "diff"]
