"""One of the two sides of a change."""

from __future__ import annotations

from dataclasses import dataclass

from gpucluster.cost.estimate import Estimate
from gpucluster.program.readers.ended import Ended
from gpucluster.program.resources import Resources

__all__ = ["Side"]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: its file, its resources, what they cost, and what its steps end.

    stack: its name, empty where it has no resource to say it. steps: whether it is a plan, whose steps say what becomes
    of what exists.
    """

    title: str
    estimate: Estimate
    resources: Resources
    stack: str = ""
    steps: bool = False
    ended: tuple[Ended, ...] = ()

    @property
    def urns(self) -> frozenset[str]:
        """Every resource of it."""
        return frozenset(resource.urn for resource in self.resources)
