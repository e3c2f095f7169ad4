"""The training pack: all checks of a GPU training cluster, each rule at its own level."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.pack import Pack
from gpucluster.policies.rule import Enforcement
from gpucluster.policies.rules import rules

PACK: Final = Pack(
    name="training",
    description="Co-location, fabric, labels, storage, safety and budget of GPU training clusters",
    rules=rules(),
    mandatory=frozenset(rule.name for rule in rules() if rule.enforcement is Enforcement.MANDATORY),
)
