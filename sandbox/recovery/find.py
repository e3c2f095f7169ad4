"""The differences between a project's states and its simulated clouds."""

from __future__ import annotations

from functools import cache

from gpucluster.sandbox.project import Project
from gpucluster.sandbox.recovery.compare import Difference, compare
from gpucluster.sandbox.recovery.damage import refuse_damage
from gpucluster.sandbox.recovery.state import all_states, once_recorded


def differences(project: Project) -> list[Difference]:
    """The differences by stack; raises InputError for a damaged ledger or state."""
    refuse_damage(project)
    return compare(all_states(project), project.store.existing(), cache(lambda: once_recorded(project)))
