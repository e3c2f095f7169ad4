"""Machines have a price, even without a budget."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from gpucluster.policies.budgets import priced
from gpucluster.policies.engine.rule import Finding, Severity, Stack, StackRule, Violation
from gpucluster.policies.frameworks import FINOPS_BUDGETING

_NAMED: Final = 5
"""Maximum of resources to list."""


def check(stack: Stack) -> Iterator[Finding]:
    found = priced(stack.resources)
    if isinstance(found, Violation):
        yield found
    elif found.facts.budget is None and found.unpriced_compute:  # with a budget, budget-undecidable reports it
        reasons = [f"`{found.names.get(one.urn, one.urn)}` ({one.reason})" for one in found.unpriced_compute]
        more = f" and {len(reasons) - _NAMED} more" if len(reasons) > _NAMED else ""
        yield Violation(None, f"machines without a price: {', '.join(reasons[:_NAMED])}{more}")


RULE: Final = StackRule(
    name="price-known",
    title="Machines have a price",
    why="Machines are nearly all of the bill: a total without them is meaningless.",
    fix="Use a machine type and region with a price, or add the price to your own price file (GPUCLUSTER_PRICES).",
    reads="every resource that bills machines by the hour",
    severity=Severity.MEDIUM,
    order=230,
    frameworks=(FINOPS_BUDGETING,),
    check=check,
)
