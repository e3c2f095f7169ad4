"""What components say of themselves, read by shape: the estimator knows no component.

Any component whose facts hold these keys is heard:

===================  ============================================================================================
`trainingGpus`       GPUs that training jobs can use, spares not counted
`outsideTraining`    names of components whose lines do not count into the price of a training GPU-hour
`slices`             MIG slices by component: `{"trial-mig": {"1g.10gb": {"count": 56, "eighths": 1}}}`; eighths of a
                     GPU's memory, by which the cost of the component is shared among its slices
`durationDays`       days the cluster is wanted for
`budget`             `{"monthly": "250000", "onExceed": "fail" | "warn", "currency": "USD"}`
`notBuilt`           what was asked for and is not built, one text each
`whatIf`             what this preview has otherwise than the user's files, one text each
===================  ============================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from gpucluster.cost.model import Budget
from gpucluster.cost.subject import CannotPrice, as_number
from gpucluster.program.resources import UNKNOWN, Resource, Resources
from gpucluster.program.values import is_list, is_object

__all__ = ["Facts", "Slices", "facts_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Slices:
    """Slices of one size. eighths: of a GPU's memory that each has."""

    size: str
    count: Decimal
    eighths: Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """The facts of all components together: sums of GPUs and budgets, the longest duration.

    ignored: facts that could not be used, and why.
    """

    training_gpus: Decimal | None = None
    outside_training: frozenset[str] = frozenset()
    slices: Mapping[str, tuple[Slices, ...]] = field(default_factory=dict[str, tuple["Slices", ...]])
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
    slices: dict[str, tuple[Slices, ...]] = {}
    for component in resources:
        if component.custom:
            continue
        facts = component.facts
        gpus.extend(_number(component, facts, "trainingGpus", ignored))
        days.extend(_number(component, facts, "durationDays", ignored))
        outside.update(_texts(component, facts, "outsideTraining", ignored))
        slices.update(_slices(component, facts, ignored))
        not_built.extend(_texts(component, facts, "notBuilt", ignored))
        what_if.extend(_texts(component, facts, "whatIf", ignored))
        if facts.get("budget") is not None:
            budgets.extend(_budget(component, facts["budget"], ignored))
    fail = any(budget.on_exceed == "fail" for budget in budgets)
    return Facts(
        training_gpus=sum(gpus, Decimal(0)) if gpus else None,
        outside_training=frozenset(outside),
        slices=slices,
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


def _slices(component: Resource, facts: Mapping[str, Any], ignored: list[str]) -> dict[str, tuple[Slices, ...]]:
    value = facts.get("slices")
    if value is None:
        return {}
    if value is UNKNOWN:
        ignored.append(f"slices of {component.name} are not known before the update")
        return {}
    try:
        return {name: tuple(_sizes(name, sizes)) for name, sizes in _object(value).items()}
    except CannotPrice as error:
        ignored.append(f"slices of {component.name} cannot be used: {error}")
        return {}


def _sizes(part: str, value: object) -> Iterator[Slices]:
    for size, given in _object(value).items():
        amounts = {
            key: as_number(_object(given).get(key), f"{key} of {size} in {part}") for key in ("count", "eighths")
        }
        if not all(amount > 0 for amount in amounts.values()):
            raise CannotPrice(f"{size} in {part} has count {amounts['count']} and eighths {amounts['eighths']}")
        yield Slices(size=size, **amounts)


def _object(value: object) -> Mapping[str, Any]:
    if not is_object(value):
        raise CannotPrice(f"{value!r} is not an object that is known before the update")
    return value


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
