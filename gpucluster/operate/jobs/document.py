"""The jobs of a cluster, or the sums of their cost, as text and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from gpucluster.core.documents.document import Document, Notes, Row, Section, Table
from gpucluster.cost.estimate.teams import TeamCost
from gpucluster.cost.pricing.model import cents
from gpucluster.cost.pricing.money import money
from gpucluster.operate.jobs.cost import By, Cost, Idle, Sum, idle_now, sums
from gpucluster.operate.jobs.jobs import ENDED, Job

_UNKNOWN = "not known"


@dataclass(frozen=True, kw_only=True)
class Found:
    """costs: one for each job; empty without `--cost` and `--by`. by: None for a list of jobs. plan: of the teams.
    now: the time of the report. everywhere: whether jobs of all namespaces were read.
    """

    jobs: Sequence[Job]
    costs: Sequence[Cost]
    by: By | None
    plan: Sequence[TeamCost]
    now: datetime
    everywhere: bool = True


def jobs_document(found: Found) -> Document:
    """Jobs that ended are listed last."""
    running = sum(job.state not in ENDED for job in found.jobs)
    title = f"Jobs: {running} running or waiting, {len(found.jobs) - running} ended"
    return Document(title=title, sections=lambda: _sections(found), model=lambda: _model(found))


def _sections(found: Found) -> Iterator[Section]:
    if not found.jobs:
        yield "No job."
    else:
        yield _jobs(found) if found.by is None else _by(found, found.by)
    if idle := _idle(found):
        yield Notes("Idle now", idle)
    if found.costs:
        yield Notes("Costs", [*_prices(found.costs)])


def _jobs(found: Found) -> Table:
    heads = ("job", "state", "queue", "pods", *(("GPU-hours", "cost") if found.costs else ()))
    costs = dict(zip(map(id, found.jobs), found.costs, strict=False))
    jobs = sorted(found.jobs, key=lambda job: job.state in ENDED)
    rows = [
        Row(
            _cells(job, costs.get(id(job))),
            [text for text in (job.reason, "Resume it:" if job.resume else "") if text],
            lines=[job.resume] if job.resume else [],
        )
        for job in jobs
    ]
    return Table(heads=heads, rows=rows, left=(0, 1, 2), across=True, caption="Jobs", stacked=(2, 3))


def _cells(job: Job, cost: Cost | None) -> list[str]:
    state = f"{job.state}, {job.place[0]} of {job.place[1]}" if job.place else str(job.state)
    up = sum(pod.phase == "Running" for pod in job.pods)
    pods = "" if job.state in ENDED else f"{up}/{job.expected or len(job.pods)}"
    cells = [f"{job.namespace}/{job.name}", state, job.queue or "none", pods]
    return cells if cost is None else [*cells, _number(cost.gpu_hours), _usd(cost.usd)]


def _number(gpu_hours: Decimal) -> str:
    return f"{gpu_hours:,.1f}"


def _usd(amount: Decimal | None) -> str:
    return _UNKNOWN if amount is None else money(cents(amount))


def _by(found: Found, by: By) -> Table:
    plan = {team.name: team for team in found.plan} if by == "team" else {}
    planned = ("planned GPU-hours", "planned") if plan else ()
    rows = [
        Row([one.name, f"{one.jobs:,}", _number(one.gpu_hours), _sum(one), *_plan(plan, one.name)])
        for one in sums([*zip(found.jobs, found.costs, strict=True)], by)
    ]
    rows += [
        Row([name, "0", "0.0", money(Decimal(0)), *_plan(plan, name)])
        for name in plan
        if name not in {row.cells[0] for row in rows}
    ]
    return Table(heads=(by, "jobs", "GPU-hours", "cost", *planned), rows=rows, wide=None, caption=f"Cost by {by}")


def _sum(one: Sum) -> str:
    if not one.unknown:
        return money(cents(one.usd))
    return _UNKNOWN if one.unknown == one.gpu_hours else f"at least {money(cents(one.usd))}"


def _plan(plan: Mapping[str, TeamCost], name: str) -> list[str]:
    if not plan:
        return []
    team = plan.get(name)
    return ["", ""] if team is None else [f"{team.gpu_hours:,.0f} a month", f"{money(team.monthly)} a month"]


def _idle(found: Found) -> list[str]:
    """What the GPUs of each team's share cost while no job of the team holds them."""
    idle = _idle_shares(found)
    lines = [
        f"{one.team}: {_number_of(one.gpus)} of its {one.of} GPUs in {one.pool}, {money(cents(one.usd))} an hour"
        for one in idle
    ]
    if lines:
        lines.append("no job of the team holds them, and they are paid for; jobs of other teams may have borrowed them")
    return lines


def _idle_shares(found: Found) -> list[Idle]:
    if found.by != "team" or not found.everywhere:
        return []
    return idle_now([*zip(found.jobs, found.costs, strict=True)], found.plan, found.now)


def _number_of(gpus: Fraction) -> str:
    return f"{float(gpus):,.2f}".rstrip("0").rstrip(".")


def _prices(costs: Sequence[Cost]) -> Iterator[str]:
    """Each price once, with its source and day, and each reason for a missing one."""
    prices = dict.fromkeys(cost.price for cost in costs if cost.price is not None and cost.gpu_hours)
    for one in prices:
        if one.each is None:
            yield f"{_UNKNOWN}: {one.unknown}"
        else:
            bought = f" {one.purchase.replace('_', ' ')}" if one.purchase else ""
            yield f"{one.machine_type}{bought}: {money(one.each)} an hour, {one.source}, {one.as_of}"
    yield "a job pays for its part of a machine's GPUs from admission to its end, of all attempts; days are in UTC"
    yield "Kueue keeps the records of ended jobs for a week, and none of deleted jobs"


def _model(found: Found) -> dict[str, Any]:
    model: dict[str, Any] = {"schema_version": 1, "as_of": found.now.isoformat(timespec="seconds")}
    if found.by is not None:
        plan = {team.name: team for team in found.plan} if found.by == "team" else {}
        rows = sums([*zip(found.jobs, found.costs, strict=True)], found.by)
        idle = [_model_of_idle(one) for one in _idle_shares(found)]
        of_teams = {"idle_now": idle} if found.by == "team" else {}
        return {**model, "by": found.by, "sums": [_model_of_sum(one, plan.get(one.name)) for one in rows], **of_teams}
    costs = found.costs or [None] * len(found.jobs)
    return {**model, "jobs": [_model_of_job(job, cost) for job, cost in zip(found.jobs, costs, strict=True)]}


def _model_of_sum(one: Sum, plan: TeamCost | None) -> dict[str, Any]:
    return {
        "name": one.name,
        "jobs": one.jobs,
        "gpu_hours": f"{one.gpu_hours:.4f}",
        "usd": f"{cents(one.usd):f}",
        "gpu_hours_without_price": f"{one.unknown:.4f}",
        "planned_gpu_hours_a_month": None if plan is None else f"{plan.gpu_hours:f}",
        "planned_usd_a_month": None if plan is None else f"{plan.monthly:f}",
    }


def _model_of_idle(one: Idle) -> dict[str, Any]:
    return {
        "team": one.team,
        "pool": one.pool,
        "gpus": f"{float(one.gpus):.4f}",
        "of": one.of,
        "usd_an_hour": f"{cents(one.usd):f}",
    }


def _model_of_job(job: Job, cost: Cost | None) -> dict[str, Any]:
    return {
        "kind": job.kind,
        "namespace": job.namespace,
        "name": job.name,
        "queue": job.queue or None,
        "state": job.state,
        "reason": job.reason or None,
        "resume": job.resume or None,
        "place": job.place[0] if job.place else None,
        "waiting": job.place[1] if job.place else None,
        "pods": [asdict(pod) for pod in job.pods],
        "expected_pods": job.expected,
        "user": job.user or None,
        "cost": None if cost is None else _model_of_cost(cost),
    }


def _model_of_cost(cost: Cost) -> dict[str, Any]:
    price, each = cost.price, cost.usd_per_gpu_hour
    return {
        "gpu_hours": f"{cost.gpu_hours:.4f}",
        "usd": None if cost.usd is None else f"{cents(cost.usd):f}",
        "usd_per_gpu_hour": None if each is None else f"{each:f}",
        "unknown": None if price is None else price.unknown or None,
        "source": None if price is None else price.source or None,
        "as_of": None if price is None else price.as_of or None,
    }
