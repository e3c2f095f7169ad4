"""The results of a rehearsal for reports: outcomes with their machines, and the location of the nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from gpucluster.core.catalog.machines import machines
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.prices import NotKnown
from gpucluster.cost.pricing.model import CostLine
from gpucluster.cost.pricing.plan_prices import machine_price
from gpucluster.operate.rehearse.outcome import Outcome, Place, Verdict

_TYPE: Final = "node.kubernetes.io/instance-type"
_BOUGHT: Final = "karpenter.sh/capacity-type"
_REGION: Final = "topology.kubernetes.io/region"
_UNIT: Final = "instance-hour"


@dataclass(frozen=True, kw_only=True)
class Machines:
    """The machines of one type that a job uses, wholly or in part.

    gpus: used by the job; all_gpus: of the machines. purchase: in the price book's terms, empty if unknown. each: USD
    per hour of one; None if no price is known, with the reason in `unknown`. source, as_of: of the price. elastic:
    whether they start for the job; the others run anyway.
    """

    machine_type: str
    count: int
    gpus: int
    all_gpus: int
    purchase: str = ""
    term: str = ""
    each: Decimal | None = None
    unknown: str = ""
    source: str = ""
    as_of: str = ""
    elastic: bool = False

    @property
    def hourly(self) -> Decimal | None:
        """USD per hour of all of them."""
        return None if self.each is None else self.each * self.count


def machines_of(
    places: Sequence[Place], nodes: Mapping[str, Mapping[str, Any]], estimate: Estimate
) -> tuple[Machines, ...]:
    """Machines by type and purchase option, except those of pods without a GPU, which run on shared machines.

    nodes: by name. estimate: of the stack. Raises BadPrices if the user's own prices cannot be used.
    """
    taken: dict[str, int] = {}
    for place in places:
        if place.node is not None and (place.gpus or place.slices):
            taken[place.node] = taken.get(place.node, 0) + place.gpus
    groups: dict[tuple[str, str], list[str]] = {}
    for name in taken:
        labels = labels_of(nodes.get(name, {}))
        groups.setdefault((str(labels.get(_TYPE) or ""), str(labels.get(_BOUGHT) or "")), []).append(name)
    return tuple(
        replace(
            machine_of(nodes.get(names[0], {}), estimate),
            count=len(names),
            gpus=sum(taken[name] for name in names),
            all_gpus=sum(_gpus(nodes[name]) for name in names if name in nodes),
        )
        for _, names in sorted(groups.items())
    )


def labels_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of an object."""
    return mapping(mapping(item.get("metadata")).get("labels"))


def machine_of(item: Mapping[str, Any], estimate: Estimate | None) -> Machines:
    """One machine with its price, by the labels of a node, or of a flavor, which has the same.

    estimate: of the stack; without it, list prices, on demand if no label has the purchase option. Raises BadPrices if
    the user's own prices cannot be used.
    """
    labels = labels_of(item)
    machine_type, bought = str(labels.get(_TYPE) or ""), str(labels.get(_BOUGHT) or "").replace("-", "_")
    found = Machines(
        machine_type=machine_type or "a machine of unknown type", count=1, gpus=0, all_gpus=0, elastic=bool(bought)
    )
    if estimate is not None:
        lines = [line for line in estimate.lines if line.sku == machine_type and line.unit == _UNIT]
        return _of_stack(found, bought, lines)
    if machine_type not in machines():
        return replace(found, unknown=f"no price of a machine {machine_type!r}")
    return _published(found, machines()[machine_type].cloud, str(labels.get(_REGION) or ""), bought or "on_demand")


def _published(found: Machines, cloud: str, region: str, purchase: str) -> Machines:
    if "_or_" in purchase:
        ways = purchase.replace("_or_", " or ").replace("_", " ")
        return replace(found, unknown=f"{found.machine_type} {ways}: only its node shows which")
    price = machine_price(cloud, region, found.machine_type, purchase)
    if isinstance(price, NotKnown):
        return replace(found, purchase=purchase, unknown=price.reason)
    return replace(found, purchase=purchase, each=price.usd, source=price.row.document, as_of=price.row.as_of)


def _of_stack(found: Machines, bought: str, lines: Sequence[CostLine]) -> Machines:
    """bought: the purchase option on the node itself, empty if it has none."""
    if not lines:
        return replace(found, unknown=f"the stack's report has no price of {found.machine_type}")
    if bought:
        return _published(found, lines[0].provider, lines[0].region, bought)
    kinds = {(line.purchase, line.term, line.unit_price, line.paid_by): line for line in lines if not line.autoscaled}
    if len(kinds) != 1:
        ways = ", ".join(sorted({line.purchase for line in lines}))
        return replace(found, unknown=f"the stack buys {found.machine_type} in several ways: {ways}")
    line = next(iter(kinds.values()))
    if line.paid_by:
        return replace(found, purchase=line.purchase, unknown=f"billed as {line.paid_by}, not by the hour")
    return replace(
        found, purchase=line.purchase, term=line.term, each=line.unit_price, source=line.source, as_of=line.as_of
    )


def _gpus(node: Mapping[str, Any]) -> int:
    return int(mapping(mapping(node.get("status")).get("capacity")).get("nvidia.com/gpu") or 0)


_OF_ONE_MACHINE: Final = frozenset({"cloud.google.com/gce-topology-host", "kubernetes.io/hostname"})
"""Levels that contain only one machine. On Google Cloud also the host (components/gcp/fabric/fabric_pod.py)."""


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
        labels = labels_of(nodes.get(place.node or "", {}))
        switch = next((str(labels[leaf]) for leaf in narrowest if leaf in labels), None)
        if place.node is not None and switch is not None:
            found[place.node] = switch
    return found
