"""Cost change of a stack from one plan or state to another, both at the prices of one book."""

from __future__ import annotations

from gpucluster.cost.diff.change import Change
from gpucluster.cost.diff.diff import Diff, LineChange, PartChange, diff
from gpucluster.cost.diff.losses import Loss
from gpucluster.cost.diff.revisions import Revision

__all__ = ["Change", "Diff", "LineChange", "Loss", "PartChange", "Revision", "diff"]
