"""Facts of all components of a stack combined: sums of GPUs and budgets, earliest start, longest duration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final

from gpucluster.core.program.facts import Budget, Facts, Slices, Team, Terms
from gpucluster.core.program.registered_facts import read_registered_facts
from gpucluster.core.program.resources import Resources

_USED: Final = frozenset(
    {
        "trainingGpus",
        "durationDays",
        "begun",
        "outsideTraining",
        "slices",
        "teams",
        "notBuilt",
        "whatIf",
        "budget",
        "terms",
    }
)


@dataclass(frozen=True, kw_only=True)
class StackFacts:
    """The facts of all components combined.

    ignored: unusable facts, and why.
    """

    training_gpus: Decimal | None = None
    outside_training: frozenset[str] = frozenset()
    slices: Mapping[str, tuple[Slices, ...]] = field(default_factory=dict[str, tuple[Slices, ...]])
    teams: Mapping[str, Team] = field(default_factory=dict[str, Team])
    terms: Mapping[str, Terms] = field(default_factory=dict[str, Terms])
    duration_days: Decimal | None = None
    begun: datetime | None = None
    budget: Budget | None = None
    not_built: tuple[str, ...] = ()
    what_if: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


def stack_facts(resources: Resources) -> StackFacts:
    """The facts of every component of the stack."""
    found = list(read_registered_facts(resources))
    facts = [each.facts for each in found]
    gpus = [one.training_gpus for one in facts if isinstance(one.training_gpus, Decimal)]
    days = [one.duration_days for one in facts if isinstance(one.duration_days, Decimal)]
    budgets = [one.budget for one in facts if isinstance(one.budget, Budget)]
    return StackFacts(
        training_gpus=sum(gpus, Decimal(0)) if gpus else None,
        outside_training=frozenset(name for one in facts for name in one.outside_training),
        slices={part: slices for one in facts for part, slices in one.slices.items()},
        teams=_teams(facts),
        terms={cloud: terms for one in facts for cloud, terms in one.terms.items()},
        duration_days=max(days, default=None),
        begun=min((one.begun for one in facts if one.begun is not None), default=None),
        budget=_together(budgets) if budgets else None,
        not_built=tuple(dict.fromkeys(text for one in facts for text in one.not_built)),
        what_if=tuple(dict.fromkeys(text for one in facts for text in one.what_if)),
        ignored=tuple(reason for each in found for name, reason in each.unread if name in _USED),
    )


def _teams(facts: list[Facts]) -> dict[str, Team]:
    """The teams of all clusters: equal names are one team."""
    found: dict[str, Team] = {}
    for name, team in ((name, team) for one in facts for name, team in one.teams.items()):
        before = found.get(name, Team())
        budgets = [each for each in (before.monthly, team.monthly) if each is not None]
        found[name] = Team(monthly=sum(budgets, Decimal(0)) if budgets else None, shares=(*before.shares, *team.shares))
    return found


def _together(budgets: list[Budget]) -> Budget:
    fail = any(budget.on_exceed == "fail" for budget in budgets)
    return Budget(sum((budget.monthly for budget in budgets), Decimal(0)), "fail" if fail else "warn")
