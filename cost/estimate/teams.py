"""The cost of each team's share, from the facts that components register about teams.

A pool's machine cost, spares included, is shared by GPUs. Costs outside pools (storage, network, control plane) are
shared in proportion to the pools: so a share of all pools is a share of the whole bill.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Final

from gpucluster.cost.estimate.budgets import Outcome, outcome_of
from gpucluster.cost.estimate.estimate import Estimate, running_hours
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, cents
from gpucluster.cost.pricing.money import at_least, how_known, money, ranged

NO_TEAM: Final = "(no team)"
"""The remainder after the shares of all teams."""


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A team's GPUs in a pool of a fixed size, which are paid for while no job holds them. usd: of their machines per
    hour, with disks and spares.
    """

    pool: str
    gpus: int
    usd: Decimal


@dataclass(frozen=True, kw_only=True)
class TeamCost:
    """monthly: expected USD of the share. gpus: of all pools, at their maximum. budget: USD per month.
    gap: the gap that unpriced items of the stack leave in the share. hours: running hours of the GPUs per month.
    trial: USD of the share in the stated duration, upfront payments included; None without a duration. trial_gap: the
    gap in that. kept: its GPUs in pools of a fixed size.
    """

    name: str
    monthly: Decimal
    gpus: int
    budget: Decimal | None
    gap: Gap
    hours: Decimal = HOURS_PER_MONTH
    trial: Decimal | None = None
    trial_gap: Gap = field(default_factory=Gap)
    kept: tuple[Kept, ...] = ()

    @property
    def hourly(self) -> Decimal:
        """USD per hour, to the cent."""
        return cents(self.monthly / HOURS_PER_MONTH)

    @property
    def gpu_hours(self) -> Decimal:
        """Its GPU-hours per month."""
        return self.gpus * self.hours

    @property
    def outcome(self) -> Outcome | None:
        """Whether its share is within its budget; None without one."""
        if self.budget is None:
            return None
        return outcome_of(self.monthly, self.gap, self.budget)

    @property
    def sentence(self) -> str:
        """One line for users; empty without a budget."""
        if self.budget is None:
            return ""
        share = f"its share costs {ranged(self.monthly, self.gap)} a month, its budget is {money(self.budget)}"
        known = how_known(self.monthly, self.gap)
        share += f"; {known}" if known else ""
        if self.outcome == "over":
            over = self.gap.low(self.monthly) - self.budget
            return f"over budget by {at_least(over, complete=not self.gap.missing)}: {share}"
        return f"within budget: {share}" if self.outcome == "within" else f"cannot tell whether it is enough: {share}"


def team_costs(estimate: Estimate) -> tuple[TeamCost, ...]:
    """The teams in the order of the spec, then the remainder; empty without teams or without a priced pool."""
    teams = estimate.facts.teams
    machines = _machines(estimate)
    all_machines = sum(machines.values(), Decimal(0))
    if not teams or not all_machines:
        return ()
    total = estimate.monthly.expected
    trial = estimate.trial_total
    trial_gap = Gap() if trial is None else estimate.gaps.trial
    found: list[TeamCost] = []
    hours = running_hours(line for line in estimate.lines if _part_of(line, estimate, machines) is not None)
    shared = Decimal(0)
    gap = estimate.gaps.expected
    if estimate.unpriced_compute:  # the pools they belong to change the shares, and no bound limits by how much
        gap = replace(gap, open=gap.missing)
    for name, team in teams.items():
        direct = sum((machines[each.part] * each.gpus / each.of for each in team.shares), Decimal(0))
        share = direct / all_machines
        shared += direct
        found.append(
            TeamCost(
                name=name,
                monthly=cents(total * share),
                gap=gap.times(share),
                gpus=sum(each.gpus for each in team.shares),
                budget=team.monthly,
                hours=hours,
                trial=None if trial is None else cents(trial * share),
                trial_gap=trial_gap.times(share),
                kept=tuple(_kept(estimate, machines, {each.part: (each.gpus, each.of) for each in team.shares})),
            )
        )
    there = {each.part: each.of for team in teams.values() for each in team.shares}
    given = {
        part: sum(one.gpus for team in teams.values() for one in team.shares if one.part == part) for part in there
    }
    rest_share = (all_machines - shared) / all_machines
    rest = TeamCost(
        name=NO_TEAM,
        monthly=total - sum((each.monthly for each in found), Decimal(0)),
        gpus=sum(there.values()) - sum(each.gpus for each in found),
        budget=None,
        hours=hours,
        gap=gap.times(rest_share),
        trial=None if trial is None else trial - sum((each.trial or Decimal(0) for each in found), Decimal(0)),
        trial_gap=trial_gap.times(rest_share),
        kept=tuple(_kept(estimate, machines, {part: (of - given[part], of) for part, of in there.items()})),
    )
    return (*found, rest)


def _kept(estimate: Estimate, machines: Mapping[str, Decimal], shares: Mapping[str, tuple[int, int]]) -> Iterator[Kept]:
    """shares: pool -> (GPUs of a team, GPUs of all)."""
    scaled = {_part_of(line, estimate, machines) for line in estimate.lines if line.autoscaled}
    for part, (gpus, of) in shares.items():
        if gpus and part not in scaled and machines[part]:
            yield Kept(pool=part.rpartition("-")[2], gpus=gpus, usd=machines[part] * gpus / of / HOURS_PER_MONTH)


def _machines(estimate: Estimate) -> dict[str, Decimal]:
    """USD per month of each pool that teams share."""
    sums = {each.part: Decimal(0) for team in estimate.facts.teams.values() for each in team.shares}
    for line in estimate.lines:
        part = _part_of(line, estimate, sums)
        if part is not None:
            sums[part] += line.monthly
    return sums


def _part_of(line: CostLine, estimate: Estimate, parts: Mapping[str, Decimal]) -> str | None:
    """The pool whose name is the longest prefix of the resource's name; pool names may be prefixes of each other."""
    name = estimate.names.get(line.urn, "")
    return max((part for part in parts if name.startswith(f"{part}-")), key=len, default=None)
