"""The GPU-hours and the cost of jobs so far, by their time with GPUs and the price of their machines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Final, Literal

from gpucluster.components.planning.names import POOL
from gpucluster.core.catalog.machines import machines
from gpucluster.core.text.type_guards import items, mapping
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.estimate.teams import NO_TEAM, TeamCost
from gpucluster.operate.jobs.jobs import Job, moment
from gpucluster.operate.jobs.objects import ClusterObjects, Object
from gpucluster.operate.rehearse.outcome import name_of
from gpucluster.operate.rehearse.report import Machines, labels_of, machine_of

_GPU: Final = "nvidia.com/gpu"
_SLICE: Final = re.compile(r"nvidia\.com/mig-(\d)g\.")
_SLICES: Final = 7
"""Compute slices of an H100. Source: NVIDIA Multi-Instance GPU user guide, "Supported MIG Profiles"."""
_NO_MACHINE: Final = Machines(machine_type="", count=1, gpus=0, all_gpus=0)
NOT_KNOWN: Final = "(not known)"

By = Literal["team", "user", "day"]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """gpus: while it holds any. earlier: seconds with GPUs in earlier attempts. runs: start and end of the last
    attempt, the present while it runs; None between attempts. price: of a machine; None for a job without GPUs.
    """

    gpus: Fraction
    earlier: int
    runs: tuple[datetime, datetime] | None
    price: Machines | None

    @property
    def gpu_hours(self) -> Decimal:
        """All attempts together."""
        now = (self.runs[1] - self.runs[0]).total_seconds() if self.runs else 0
        return hours(self.gpus, self.earlier + now)

    @property
    def usd_per_gpu_hour(self) -> Decimal | None:
        """None if the price of the machine is unknown."""
        known = machines().get(self.price.machine_type) if self.price is not None else None
        if self.price is None or self.price.each is None or known is None or not known.gpus:
            return None
        return self.price.each / known.gpus

    @property
    def usd(self) -> Decimal | None:
        """USD so far; 0 without a GPU."""
        if not self.gpu_hours:
            return Decimal(0)
        each = self.usd_per_gpu_hour
        return None if each is None else self.gpu_hours * each


def hours(gpus: Fraction, seconds: float) -> Decimal:
    """GPU-hours."""
    exact = gpus * Fraction(seconds) / 3600
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def cost_of(job: Job, objects: ClusterObjects, estimate: Estimate | None, now: datetime) -> Cost:
    """estimate: of the stack; without it, list prices.

    Raises BadPrices if the user's own prices cannot be used.
    """
    gpus, status = _gpus(job.workload or {}), mapping(mapping(job.workload).get("status"))
    return Cost(
        gpus=gpus,
        earlier=int(status.get("accumulatedPastExecutionTimeSeconds") or 0),
        runs=_runs(status, now),
        price=_price(job, objects, estimate) if gpus else None,
    )


def _runs(status: Mapping[str, object], now: datetime) -> tuple[datetime, datetime] | None:
    conditions = {
        one.get("type"): one for one in map(mapping, items(status.get("conditions"))) if one["status"] == "True"
    }
    if "Admitted" not in conditions:
        return None
    start = moment(conditions["Admitted"].get("lastTransitionTime"), now)
    end = moment(conditions["Finished"].get("lastTransitionTime"), now) if "Finished" in conditions else now
    return start, max(start, end)


def _gpus(workload: Object) -> Fraction:
    """What it was admitted for, else what it asks for."""
    admitted = items(mapping(mapping(workload.get("status")).get("admission")).get("podSetAssignments"))
    if admitted:
        return sum((_in(mapping(mapping(one).get("resourceUsage"))) for one in admitted), Fraction(0))
    total = Fraction(0)
    for pods in map(mapping, items(mapping(workload.get("spec")).get("podSets"))):
        spec = mapping(mapping(pods.get("template")).get("spec"))
        each = [
            mapping(mapping(one.get("resources")).get("limits")) for one in map(mapping, items(spec.get("containers")))
        ]
        total += int(pods.get("count") or 1) * sum(map(_in, each), Fraction(0))
    return total


def _in(amounts: Mapping[str, object]) -> Fraction:
    """Whole GPUs, and slices as their part of one."""
    total = Fraction(0)
    for name, amount in amounts.items():
        part = _SLICE.match(name)
        if name == _GPU or part:
            total += Fraction(str(amount)) * (Fraction(int(part[1]), _SLICES) if part else 1)
    return total


def _price(job: Job, objects: ClusterObjects, estimate: Estimate | None) -> Machines:
    """Of the machines that its pods are on, else of those of its pool, else of the flavor that Kueue assigned: its
    labels have the pool's machine, for submitters, who may not read nodes.
    """
    on = {pod.node for pod in job.pods if pod.node}
    nodes = [node for node in objects.nodes or [] if name_of(node) in on]
    nodes = nodes or [node for node in objects.nodes or [] if labels_of(node).get(POOL) == job.queue]
    flavors = [one for one in objects.flavors if name_of(one) in _flavors(job.workload or {})]
    kinds = {machine_of(one, estimate) for one in nodes or flavors}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds:
        why = "its machines are of several kinds"
    elif objects.nodes is None:
        why = "you may not read nodes, and its flavor names no machine"
    else:
        why = f"pool {job.queue} has no machine now"
    return replace(_NO_MACHINE, unknown=why)


def _flavors(workload: Object) -> set[str]:
    admitted = items(mapping(mapping(workload.get("status")).get("admission")).get("podSetAssignments"))
    return {str(name) for one in admitted for name in mapping(mapping(one).get("flavors")).values()}


@dataclass(frozen=True, kw_only=True)
class Sum:
    """usd: of the jobs with a known price. unknown: GPU-hours of the others."""

    name: str
    jobs: int
    gpu_hours: Decimal
    usd: Decimal
    unknown: Decimal


def team_of(namespace: str) -> str:
    """The team of a namespace `team-NAME`."""
    return namespace.removeprefix("team-") if namespace.startswith("team-") else NO_TEAM


def sums(found: Sequence[tuple[Job, Cost]], by: By) -> list[Sum]:
    """Of jobs with GPU-hours: days in order of time, teams and users by name."""
    parts: dict[str, list[tuple[Job, Cost, Decimal]]] = {}
    for job, cost in found:
        for name, gpu_hours in _parts(job, cost, by):
            if gpu_hours:
                parts.setdefault(name, []).append((job, cost, gpu_hours))
    return [
        Sum(
            name=name,
            jobs=len(part),
            gpu_hours=sum((gpu_hours for _, _, gpu_hours in part), Decimal(0)),
            usd=sum((gpu_hours * (cost.usd_per_gpu_hour or 0) for _, cost, gpu_hours in part), Decimal(0)),
            unknown=sum((gpu_hours for _, cost, gpu_hours in part if cost.usd_per_gpu_hour is None), Decimal(0)),
        )
        for name, part in sorted(parts.items())
    ]


@dataclass(frozen=True, kw_only=True)
class Idle:
    """GPUs of a team's share in a pool that no job of the team holds now. of: its share. usd: of them
    per hour.
    """

    team: str
    pool: str
    gpus: Fraction
    of: int
    usd: Decimal


def idle_now(found: Sequence[tuple[Job, Cost]], plan: Sequence[TeamCost], now: datetime) -> list[Idle]:
    """In pools of a fixed size, in the order of the plan. Jobs of other teams may hold them, as borrowed ones.

    found: the jobs of all teams. now: when they were read.
    """
    held: dict[tuple[str, str], Fraction] = {}
    for job, cost in found:
        if cost.runs is not None and cost.runs[1] == now:
            owner = team_of(job.namespace), job.queue
            held[owner] = held.get(owner, Fraction(0)) + cost.gpus
    idle: list[Idle] = []
    for team in plan:
        for kept in team.kept:
            gpus = kept.gpus - held.get((team.name, kept.pool), Fraction(0))
            if gpus > 0:
                usd = kept.usd * gpus.numerator / gpus.denominator / kept.gpus
                idle.append(Idle(team=team.name, pool=kept.pool, gpus=gpus, of=kept.gpus, usd=usd))
    return idle


def _parts(job: Job, cost: Cost, by: By) -> Iterable[tuple[str, Decimal]]:
    match by:
        case "team":
            return [(team_of(job.namespace), cost.gpu_hours)]
        case "user":
            return [(job.user or NOT_KNOWN, cost.gpu_hours)]
        case _:
            return _days(cost)


def _days(cost: Cost) -> Iterator[tuple[str, Decimal]]:
    """By day in UTC. Kueue keeps only the sum of earlier attempts, not their days."""
    yield "earlier attempts", hours(cost.gpus, cost.earlier)
    start, end = cost.runs or (datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC))
    while start < end:
        midnight = start.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        yield start.date().isoformat(), hours(cost.gpus, (min(midnight, end) - start).total_seconds())
        start = midnight
