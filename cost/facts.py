"""What components say of themselves, read by shape: the estimator knows no component.

Any component whose facts hold these keys is heard:

===================  ============================================================================================
`trainingGpus`       GPUs that training jobs can use, spares not counted
`outsideTraining`    names of components whose lines do not count into the price of a training GPU-hour
`durationDays`       days the cluster is wanted for
`budget`             `{"monthly": "250000", "onExceed": "fail" | "warn", "currency": "USD"}`
`notBuilt`           what was asked for and is not built, one text each
`whatIf`             what this preview has otherwise than the user's files, one text each
===================  ============================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from cost.model import Budget
from cost.resources import UNKNOWN, Resource, Resources
from cost.shape import is_list, is_object
from cost.subject import CannotPrice, as_number

__all__ = ["Facts", "facts_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """The facts of all components together: sums of GPUs and budgets, the longest duration.

    ignored: facts that could not be used, and why.
    """

    training_gpus: Decimal | None = None
    outside_training: frozenset[str] = frozenset()
    duration_days: Decimal | None = None
    budget: Budget | None = None
    not_built: tuple[str, ...] = ()
    what_if: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


def facts_of(resources: Resources) -> Facts:
    """The facts of every component of the stack."""
    ignored: list[str] = []
    gpus: list[Decimal] = []
    days: list[Decimal] = []
    budgets: list[Budget] = []
    outside: set[str] = set()
    not_built: list[str] = []
    what_if: list[str] = []
    for component in resources:
        if component.custom:
            continue
        facts = component.facts
        gpus.extend(_number(component, facts, "trainingGpus", ignored))
        days.extend(_number(component, facts, "durationDays", ignored))
        outside.update(_texts(component, facts, "outsideTraining", ignored))
        not_built.extend(_texts(component, facts, "notBuilt", ignored))
        what_if.extend(_texts(component, facts, "whatIf", ignored))
        if facts.get("budget") is not None:
            budgets.extend(_budget(component, facts["budget"], ignored))
    fail = any(budget.on_exceed == "fail" for budget in budgets)
    return Facts(
        training_gpus=sum(gpus, Decimal(0)) if gpus else None,
        outside_training=frozenset(outside),
        duration_days=max(days) if days else None,
        budget=Budget(sum((b.monthly for b in budgets), Decimal(0)), "fail" if fail else "warn") if budgets else None,
        not_built=tuple(dict.fromkeys(not_built)),
        what_if=tuple(dict.fromkeys(what_if)),
        ignored=tuple(ignored),
    )


def _number(component: Resource, facts: Mapping[str, Any], key: str, ignored: list[str]) -> Iterator[Decimal]:
    value = facts.get(key)
    if value is None:
        return
    if value is UNKNOWN:
        ignored.append(f"{key} of {component.name} is not known before the update")
        return
    try:
        yield as_number(value, f"{key} of {component.name}")
    except CannotPrice as error:
        ignored.append(str(error))


def _texts(component: Resource, facts: Mapping[str, Any], key: str, ignored: list[str]) -> list[str]:
    value = facts.get(key)
    if value is None:
        return []
    if is_list(value) and all(isinstance(item, str) for item in value):
        return list(value)
    ignored.append(f"{key} of {component.name} is not a list of texts that is known before the update")
    return []


def _budget(component: Resource, value: object, ignored: list[str]) -> Iterator[Budget]:
    if value is UNKNOWN or (is_object(value) and value.get("monthly") is UNKNOWN):
        ignored.append(f"budget of {component.name} is not known before the update")
        return
    if not is_object(value):
        ignored.append(f"budget of {component.name} is {value!r}, expected {{monthly: USD, onExceed: fail or warn}}")
        return
    if value.get("currency", "USD") != "USD":
        ignored.append(f"budget of {component.name} is in {value['currency']!r}; prices are in USD")
        return
    on_exceed = value.get("onExceed", "warn")
    if on_exceed not in ("fail", "warn"):
        ignored.append(f"budget.onExceed of {component.name} is {on_exceed!r}, expected fail or warn: taken as fail")
        on_exceed = "fail"
    try:
        yield Budget(as_number(value.get("monthly"), f"budget.monthly of {component.name}"), on_exceed)
    except CannotPrice as error:
        ignored.append(str(error))
