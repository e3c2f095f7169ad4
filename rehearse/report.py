"""The results of a rehearsal for reports: outcomes with their machines, and the location of the nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from gpucluster.cost.estimate import Estimate
from gpucluster.rehearse.outcome import Outcome, Verdict
from gpucluster.rehearse.prices import Machines, machines_of
from gpucluster.sandbox.type_guards import items, mapping

_OF_ONE_MACHINE: Final = frozenset({"cloud.google.com/gce-topology-host", "kubernetes.io/hostname"})
"""Levels that contain only one machine. On Google Cloud also the host (components/gcp/fabric_pod.py)."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """switches: node -> its switch, for nodes whose cloud reports it."""

    outcome: Outcome
    machines: tuple[Machines, ...]
    switches: Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Report:
    """stack: its name."""

    stack: str
    jobs: tuple[Job, ...]

    @property
    def would_run(self) -> bool:
        """Whether nothing is refused and nothing waits. Unknown outcomes do not count against a job."""
        return all(job.outcome.verdict in (Verdict.RUNS, Verdict.UNKNOWN) for job in self.jobs)

    @property
    def hourly(self) -> Decimal | None:
        """USD per hour of all machines together; None if one has no price, or nothing runs."""
        amounts = [machines.hourly for job in self.jobs for machines in job.machines]
        known = [amount for amount in amounts if amount is not None]
        return sum(known, Decimal(0)) if known and len(known) == len(amounts) else None


def report(
    stack: str,
    outcomes: Sequence[Outcome],
    nodes: Sequence[Mapping[str, Any]],
    topologies: Sequence[Mapping[str, Any]],
    estimate: Estimate,
) -> Report:
    """nodes, topologies: of the cluster while the jobs ran. Raises BadPrices if your own prices can't be used."""
    by_name = {str(mapping(node.get("metadata")).get("name")): node for node in nodes}
    narrowest = leaves(topologies)
    return Report(
        stack=stack,
        jobs=tuple(
            Job(
                outcome=outcome,
                machines=machines_of(outcome.places, by_name, estimate),
                switches=_switches(outcome, by_name, narrowest),
            )
            for outcome in outcomes
        ),
    )


def leaves(topologies: Sequence[Mapping[str, Any]]) -> list[str]:
    """The label of each topology's lowest level above a machine."""
    found: list[str] = []
    for topology in topologies:
        levels = [str(mapping(level).get("nodeLabel")) for level in items(mapping(topology.get("spec")).get("levels"))]
        found += [label for label in levels if label not in _OF_ONE_MACHINE][-1:]
    return found


def _switches(outcome: Outcome, nodes: Mapping[str, Mapping[str, Any]], narrowest: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for place in outcome.places:
        labels = mapping(mapping(mapping(nodes.get(place.node or "")).get("metadata")).get("labels"))
        switch = next((str(labels[leaf]) for leaf in narrowest if leaf in labels), None)
        if place.node is not None and switch is not None:
            found[place.node] = switch
    return found
