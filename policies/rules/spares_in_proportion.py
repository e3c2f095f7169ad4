"""Spare nodes are few compared with training nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import UNKNOWN
from gpucluster.core.program.values import whole
from gpucluster.policies.budgets import priced
from gpucluster.policies.engine.rule import CannotTell, Finding, Severity, Stack, StackRule, Violation

_SETTING: Final = "nodesPerSpare"
_USUAL: Final = 10
"""Spares are usually 5 to 10 % of the nodes."""
_OF_A_NODE: Final = 8
"""GPUs."""


def check(stack: Stack) -> Iterator[Finding]:
    configured = whole(stack.config, _SETTING)
    per_spare = max(configured, 1) if isinstance(configured, int) else _USUAL
    for each in read_registered_facts(stack.resources):
        spare, training = each.facts.spare_gpus, each.facts.training_gpus
        if spare is not None and UNKNOWN in (spare, training):
            yield CannotTell(each.component, "the number of spare GPUs is not known yet")
        elif isinstance(training, Decimal) and isinstance(spare, Decimal):
            most = math.ceil(training / (_OF_A_NODE * per_spare))
            if spare > most * _OF_A_NODE:
                yield Violation(each.component, _description(stack, training, spare, most))


def _description(stack: Stack, training: Decimal, spare: Decimal, most: int) -> str:
    several = "s" if most > 1 else ""
    what = f"{spare} spare GPUs for {training} training GPUs, more than {most} node{several} of them"
    hourly = _highest_price(stack)
    if not hourly:
        return what
    from gpucluster.cost.pricing.model import HOURS_PER_MONTH, cents  # prices are loaded only when a cost rule runs

    monthly = cents(hourly * HOURS_PER_MONTH * spare / _OF_A_NODE)
    return f"{what}; idle, they cost ${monthly:,.2f} a month"


def _highest_price(stack: Stack) -> Decimal | None:
    """USD per hour of the most expensive training machine, which is the one with GPUs; None without a price."""
    found = priced(stack.resources)
    if isinstance(found, Violation):
        return None
    lines = (line for part in found.parts if part.training for line in part.lines if line.unit == "instance-hour")
    return max((line.unit_price for line in lines), default=None)


RULE: Final = StackRule(
    name="spares-in-proportion",
    title="Spare nodes match the expected failure rate",
    why="A spare node costs as much as a training node, every hour, and computes nothing until one fails.",
    fix=f"Use fewer spares (training.spares in the cluster spec), or let jobs use them; {_SETTING} sets another "
    "proportion.",
    reads="the facts trainingGpus and spareGpus",
    spec="training.spares",
    severity=Severity.LOW,
    order=250,
    check=check,
    config={
        _SETTING: {
            "type": "integer",
            "description": f"Training nodes for each spare, rounded up to a whole spare; default: {_USUAL}",
            "minimum": 1,
        }
    },
)
