"""What the components of a stack state, taken together: sums of GPUs and budgets, the longest duration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from gpucluster.program.facts import Budget, Slices, stated
from gpucluster.program.resources import Resources

__all__ = ["StackFacts", "stack_facts"]

_USED: Final = frozenset({"trainingGpus", "durationDays", "outsideTraining", "slices", "notBuilt", "whatIf", "budget"})


@dataclass(frozen=True, kw_only=True, slots=True)
class StackFacts:
    """The facts of all components together.

    ignored: facts that could not be used, and why.
    """

    training_gpus: Decimal | None = None
    outside_training: frozenset[str] = frozenset()
    slices: Mapping[str, tuple[Slices, ...]] = field(default_factory=dict[str, tuple[Slices, ...]])
    duration_days: Decimal | None = None
    budget: Budget | None = None
    not_built: tuple[str, ...] = ()
    what_if: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


def stack_facts(resources: Resources) -> StackFacts:
    """The facts of every component of the stack."""
    found = list(stated(resources))
    facts = [each.facts for each in found]
    gpus = [one.training_gpus for one in facts if isinstance(one.training_gpus, Decimal)]
    days = [one.duration_days for one in facts if isinstance(one.duration_days, Decimal)]
    budgets = [one.budget for one in facts if isinstance(one.budget, Budget)]
    return StackFacts(
        training_gpus=sum(gpus, Decimal(0)) if gpus else None,
        outside_training=frozenset(name for one in facts for name in one.outside_training),
        slices={part: slices for one in facts for part, slices in one.slices.items()},
        duration_days=max(days, default=None),
        budget=_together(budgets) if budgets else None,
        not_built=tuple(dict.fromkeys(text for one in facts for text in one.not_built)),
        what_if=tuple(dict.fromkeys(text for one in facts for text in one.what_if)),
        ignored=tuple(reason for each in found for name, reason in each.unread if name in _USED),
    )


def _together(budgets: list[Budget]) -> Budget:
    fail = any(budget.on_exceed == "fail" for budget in budgets)
    return Budget(sum((budget.monthly for budget in budgets), Decimal(0)), "fail" if fail else "warn")
