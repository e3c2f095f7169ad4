"""Machines that run most of the time are not bought by the hour."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

from gpucluster.policies.budgets import priced
from gpucluster.policies.engine.rule import Finding, Severity, Stack, StackRule, Violation
from gpucluster.policies.frameworks import FINOPS_BUDGETING

if TYPE_CHECKING:
    from gpucluster.cost import Estimate
    from gpucluster.cost.pricing.model import CostLine


_SETTING: Final = "utilisation"
_DAYS: Final = 365
_TERM: Final = "_1y_share"
_LEAST: Final = Decimal("0.2")
"""No one-year commitment in the price book is 80 % below the hourly price."""


def check(stack: Stack) -> Iterator[Finding]:
    found = priced(stack.resources)
    if isinstance(found, Violation):
        yield found
        return
    by_the_hour = _by_the_hour(found)
    if not by_the_hour:
        return
    used = _utilisation(stack, found)
    if used is not None and used >= _LEAST:
        yield from _compared(stack, by_the_hour, used)


def _by_the_hour(found: Estimate) -> list[CostLine]:
    """Lines of on-demand machines that run as long as they exist, and that this stack pays for."""
    return [
        line
        for line in found.lines
        if line.unit == "instance-hour"
        and (line.purchase, line.spend) == ("on_demand", "new")
        and line.monthly
        and not line.autoscaled
    ]


def _utilisation(stack: Stack, found: Estimate) -> Decimal | None:
    """Share of a year for which the machines are needed: as configured, else from the cluster's duration."""
    stated = stack.config.get(_SETTING)
    if stated is not None:
        try:
            return min(Decimal(str(stated)), Decimal(1))
        except InvalidOperation:
            return None
    days = found.facts.duration_days
    return None if days is None else min(days / _DAYS, Decimal(1))


def _compared(stack: Stack, by_the_hour: list[CostLine], used: Decimal) -> Iterator[Finding]:
    from gpucluster.cost import Assumptions, estimate

    names = [name for name in Assumptions.names() if name.endswith(_TERM)]
    committed = {name: estimate(stack.resources, assumptions=Assumptions().with_values({name: "1"})) for name in names}
    monthly = {name: _by_urn(found) for name, found in committed.items()}
    for urn, billed in _summed(by_the_hour).items():
        best = min(((of.get(urn, billed), name) for name, of in monthly.items()), default=(billed, ""))
        if best[0] < billed * used:
            kind = best[1].removesuffix(_TERM).replace("_", " ").replace("cud", "committed use")
            yield Violation(
                stack.resources.get(urn),
                f"${billed * used:,.2f} a month on demand at {used:.0%} use; {kind} of one year is ${best[0]:,.2f} a "
                f"month whether used or not, and cheaper above {best[0] / billed:.0%} use",
            )


def _by_urn(found: Estimate) -> dict[str, Decimal]:
    return _summed([line for line in found.lines if line.unit == "instance-hour"])


def _summed(lines: list[CostLine]) -> dict[str, Decimal]:
    sums: dict[str, Decimal] = {}
    for line in lines:
        sums[line.urn] = sums.get(line.urn, Decimal(0)) + line.monthly
    return sums


RULE: Final = StackRule(
    name="commitment-cheaper",
    title="Machines that run most of a year use a commitment if it is cheaper",
    why="On demand is the most expensive way to run a machine all the time: a one-year commitment often costs a third "
    "less.",
    fix="Buy the commitment for machines that certainly keep running, and pass it to the estimate (`gpucluster cost "
    f"report --assume`); or set {_SETTING} to the expected use.",
    reads="on-demand machines with a price and a stated use; the fact durationDays",
    spec="purchase",
    severity=Severity.LOW,
    order=240,
    frameworks=(FINOPS_BUDGETING,),
    check=check,
    config={
        _SETTING: {
            "type": "number",
            "description": "Share of a year that the machines run, 0 to 1; default: derived from the fact durationDays",
            "minimum": 0,
            "maximum": 1,
        }
    },
)
