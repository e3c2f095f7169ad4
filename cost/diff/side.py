"""One of the two sides of a change."""

from __future__ import annotations

from dataclasses import dataclass

from gpucluster.cost.estimate import Estimate
from gpucluster.program.readers.ended import Ended
from gpucluster.program.resources import Resources

__all__ = ["Side"]


@dataclass(frozen=True, slots=True)
class Side:
    """One side: its file, its resources, their cost, and the resources that its steps end.

    stack: its name, empty if it has no resource to take it from. steps: whether it is a plan, whose steps show what
    happens to existing resources.
    """

    title: str
    estimate: Estimate
    resources: Resources
    stack: str = ""
    steps: bool = False
    ended: tuple[Ended, ...] = ()

    @property
    def urns(self) -> frozenset[str]:
        """URNs of its resources."""
        return frozenset(resource.urn for resource in self.resources)
