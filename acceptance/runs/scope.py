"""The measured nodes and their groups, for real and dry runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gpucluster.acceptance.measured import ALL_GATHER, ALL_TO_ALL
from gpucluster.acceptance.runs.collectives import collective, node_counts, pair_rounds
from gpucluster.acceptance.runs.diagnosis import diagnosis
from gpucluster.acceptance.runs.step import Step
from gpucluster.acceptance.runs.storage import storage
from gpucluster.acceptance.verdicts.verdict import CANNOT_TELL, Verdict

_PAIR_ROUNDS: Final = 3
"""Partners of each node: one slow partner must not make a good node suspect."""


@dataclass(frozen=True, kw_only=True)
class Scope:
    """names: of the measured nodes. cordoned: those that get no job of the queue. queued: nodes that the queue gives to
    one job, without spares. priority: class of its jobs in the queue. `high` has precedence over waiting jobs, and
    preempts running ones with a lower class.
    """

    names: Sequence[str]
    cordoned: Sequence[str] = ()
    queued: int
    priority: str = "high"

    @property
    def ringed(self) -> Sequence[str]:
        """Nodes that a ring can use.

        Kueue assigns no pod to a cordoned node, whatever the pod tolerates; without that assignment the scheduler does
        not place it. Source: kubernetes-sigs/kueue v0.19.2, pkg/cache/scheduler/tas_nodes_cache.go.
        """
        return [name for name in self.names if name not in self.cordoned]

    @property
    def most(self) -> int:
        """Nodes of the largest ring."""
        return min(len(self.ringed), self.queued)

    def steps(self, *, level: int) -> list[Step]:
        """The steps in order. Spares are measured in a separate ring. level: of the diagnosis."""
        names, most, priority = self.ringed, self.most, self.priority
        rings = [
            collective(names[:count], name=f"acceptance-ring-{count}", priority=priority) for count in node_counts(most)
        ]
        if 1 < most < len(names):
            rings.append(collective(names[-most:], name=f"acceptance-ring-{most}-with-spares", priority=priority))
        others = [
            collective(names[:most], kind, name=f"acceptance-{kind}-{most}", priority=priority)
            for kind in (ALL_GATHER, ALL_TO_ALL)
            if most > 1
        ]
        return [diagnosis(self.names, level=level), *rings, *others, storage(self.names)]

    def pairs(self) -> list[list[Step]]:
        """Rounds of pairs; the pairs of a round run concurrently."""
        return pair_rounds(self.ringed, count=_PAIR_ROUNDS, priority=self.priority) if self.most > 1 else []

    def unringed(self) -> list[str]:
        """Nodes that no ring includes."""
        seen = {*self.ringed[: self.most], *self.ringed[-self.most :]} if self.most > 1 else set[str]()
        return [name for name in self.names if name not in seen]


def no_ring(scope: Scope, nodes: Sequence[str]) -> list[Verdict]:
    """Verdicts on nodes without a ring: their fabric was not measured."""
    cordoned = [node for node in nodes if node in scope.cordoned]
    others = [node for node in nodes if node not in scope.cordoned]
    told = [
        (cordoned, "the queue does not schedule on cordoned nodes; uncordon, and measure again with another --results"),
        (others, "a ring needs two nodes of the queue; measure these with others, in another --results"),
    ]
    return [
        Verdict(
            check="all-reduce",
            outcome=CANNOT_TELL,
            why=f"{', '.join(found)} in no ring: {why}",
            nodes=tuple(found),
        )
        for found, why in told
        if found
    ]
