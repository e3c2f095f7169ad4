"""One rule per file; `policies.training` selects them. Those about change are in every pack."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.rule import ChangeRule
from gpucluster.policies.rules import (
    no_loss_of_reserved_capacity,
    no_loss_of_shared_storage,
    no_replacement_of_control_plane,
    replacement_of_training_pool,
)

__all__ = ["CHANGE_RULES"]

CHANGE_RULES: Final[tuple[ChangeRule, ...]] = (
    no_loss_of_shared_storage.RULE,
    no_loss_of_reserved_capacity.RULE,
    no_replacement_of_control_plane.RULE,
    replacement_of_training_pool.RULE,
)
