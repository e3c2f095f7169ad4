"""A team's share of a cluster stays within its budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.policies.budgets import priced
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation
from gpucluster.policies.frameworks import FINOPS_BUDGETING


def check(stack: Stack) -> Iterator[Finding]:
    found = [each for each in read_registered_facts(stack.resources) if "teams" in each.names]
    for each in found:
        yield from (CannotTell(each.component, reason) for name, reason in each.unread if name == "teams")
    if not any(each.facts.teams for each in found):
        return
    cost = priced(stack.resources)
    if isinstance(cost, Violation):
        yield cost
        return
    from gpucluster.cost.estimate.teams import team_costs  # prices are loaded only when a cost rule runs

    for team in team_costs(cost):
        by = next((each.component for each in found if team.name in each.facts.teams), None)
        if team.outcome == "over":
            yield Violation(by, f"team {team.name} is {team.sentence}")
        elif team.outcome == "cannot tell":
            yield CannotTell(by, f"team {team.name}: {team.sentence}")


RULE: Final = StackRule(
    name="team-budget",
    title="The share of each team is within its budget",
    why="The GPUs of a team cost more than its budget: one of the two is wrong.",
    fix="Give the team fewer GPUs (teams.NAME.gpus in the cluster spec), or agree on a larger budget (monthly_usd).",
    reads="every resource with a price; the fact teams",
    spec="teams",
    severity=Severity.MEDIUM,
    order=220,
    frameworks=(FINOPS_BUDGETING,),
    check=check,
)
