"""Facts that components register about themselves, for readers that do not import the components.

A component registers `Facts.registered()` as inputs and outputs; `registered_facts` reads them, from our components and
from any other component that registers the same names:

===================  ============================================================================================
`requiredLabels`     key -> value that everything around and inside the component must have
`budget`             `{"monthly": "250000", "onExceed": "fail" | "warn", "currency": "USD"}`
`exemptions`         findings that a team accepts; `policies.engine.exemptions` reads its entries
`terms`              cloud -> agreed terms of its account: `{"aws": {"support": "business", "discount": "0.08",
                     "accountUsd": "100000"}}`; `Terms` describes each
`durationDays`       days for which the cluster is needed
`begun`              time of its first update, `2026-11-23T14:07:45+00:00`; an output of the stack
`trainingGpus`       GPUs available to training jobs, without spares; `spareGpus` those of the spares
`outsideTraining`    names of components whose lines do not count into the price of a training GPU-hour
`slices`             MIG slices by component: `{"trial-mig": {"1g.10gb": {"count": 56, "eighths": 1}}}`; eighths of a
                     GPU's memory, by which the cost of the component is shared among its slices
`teams`              teams that share the cluster: `{"vision": {"monthly": "200000", "shares": {"trial-training":
                     {"gpus": 16, "of": 32}}}}`; the name of a pool's machines begins with that of its share
`rolls`              names of components whose nodes an update may replace
`paused`             whether its training nodes are to be 0: in a pause, and before and after its purchased capacity
`notBuilt`           requested but not built, one text each
`losses`             requests that the cloud cannot provide, one text each
`notes`              remarks for a reader of the plan, one text each; first those to act on before `up`
`equivalence`        properties for comparing two clusters: property -> value; numbers are per training node, of the
                     file system, or of the whole pool
`storageAsked`       requirements on the shared file system: `usableTib`, `gbPerS`, `headroom`
`scaleSetLimit`      nodes with InfiniBand that one scale set of the subscription holds
`whatIf`             differences of this preview from the user's files, one text each
===================  ============================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, TypeVar

from gpucluster.core.program.questions import Question
from gpucluster.core.program.resources import Unknown

_Known = TypeVar("_Known")


@dataclass(frozen=True)
class Budget:
    """The user's limit: USD per month, and whether exceeding it stops the plan or warns."""

    monthly: Decimal
    on_exceed: Literal["fail", "warn"] = field(default="warn")


@dataclass(frozen=True, kw_only=True)
class Terms:
    """The terms that an account has agreed with its cloud.

    support: support plan by its name in the price book, empty for none. discount: share off list prices, 0 to 1.
    account_usd: USD per month that the account spends outside this stack; support fees depend on it.
    """

    support: str = ""
    discount: Decimal = Decimal(0)
    account_usd: Decimal = Decimal(0)


@dataclass(frozen=True, kw_only=True)
class Slices:
    """Slices of one size. eighths: share of a GPU's memory of each."""

    size: str
    count: Decimal
    eighths: Decimal


@dataclass(frozen=True, kw_only=True)
class PoolShare:
    """A team's share of one pool. part: name prefix of the pool's machines. of: the pool's GPUs."""

    part: str
    gpus: int
    of: int


@dataclass(frozen=True, kw_only=True)
class Team:
    """monthly: limit of its shares in USD per month, None without one. shares: one for each pool, also of 0."""

    monthly: Decimal | None = None
    shares: tuple[PoolShare, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StorageRequest:
    """TiB of data, total GB/s, and the factor of space on top of the data, None for the usual one."""

    usable_tib: Decimal
    gb_per_s: Decimal
    headroom: Decimal | None = None


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The facts of one component, by the names above; None, or empty, means not stated.

    before_up: the first of the notes, while they are planned; as read, `notes` has them all. questions: what only the
    account can answer; never registered.
    """

    required_labels: Mapping[str, Any] | Unknown | None = None
    budget: Budget | Unknown | None = None
    terms: Mapping[str, Terms] = field(default_factory=dict[str, Terms])
    exemptions: Sequence[Any] | Unknown = ()
    duration_days: Decimal | Unknown | None = None
    begun: datetime | None = None
    training_gpus: Decimal | Unknown | None = None
    spare_gpus: Decimal | Unknown | None = None
    outside_training: tuple[str, ...] = ()
    slices: Mapping[str, tuple[Slices, ...]] = field(default_factory=dict[str, tuple[Slices, ...]])
    teams: Mapping[str, Team] = field(default_factory=dict[str, Team])
    rolls: tuple[str, ...] = ()
    paused: bool = False
    not_built: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    before_up: tuple[str, ...] = ()
    questions: tuple[Question, ...] = ()
    notes: tuple[str, ...] = ()
    equivalence: Mapping[str, Any] = field(default_factory=dict[str, Any])
    storage_asked: StorageRequest | None = None
    scale_set_limit: int | Unknown | None = None
    what_if: tuple[str, ...] = ()

    def registered(self) -> dict[str, Any]:
        """The values that a component registers. None of them is UNKNOWN: components know their facts."""
        found = {
            "requiredLabels": None if self.required_labels is None else dict(_known(self.required_labels)),
            "budget": None if self.budget is None else _registered_budget(_known(self.budget)),
            "terms": {cloud: _registered_terms(terms) for cloud, terms in self.terms.items()} or None,
            "exemptions": list(_known(self.exemptions)),
            "durationDays": _number(self.duration_days),
            "begun": None if self.begun is None else self.begun.isoformat(),
            "trainingGpus": _number(self.training_gpus),
            "spareGpus": _number(self.spare_gpus),
            "outsideTraining": list(self.outside_training),
            "slices": {part: _registered_slices(slices) for part, slices in self.slices.items()} or None,
            "teams": {name: _registered_team(team) for name, team in self.teams.items()} or None,
            "rolls": list(self.rolls) or None,
            "paused": self.paused or None,
            "notBuilt": list(self.not_built),
            "losses": list(self.losses),
            "notes": [*self.before_up, *self.notes],
            "equivalence": dict(self.equivalence) or None,
            "storageAsked": None if self.storage_asked is None else _registered_storage(self.storage_asked),
            "scaleSetLimit": _number(self.scale_set_limit),
            "whatIf": list(self.what_if) or None,
        }
        return {name: value for name, value in found.items() if value is not None}


def _known(value: _Known | Unknown) -> _Known:
    if isinstance(value, Unknown):
        raise ValueError("a fact that is registered has to be known")
    return value


def _number(value: Decimal | int | Unknown | None) -> int | float | None:
    if value is None:
        return None
    known = _known(value)
    return int(known) if known == int(known) else float(known)


def _registered_budget(budget: Budget) -> dict[str, str]:
    return {"monthly": str(budget.monthly), "currency": "USD", "onExceed": budget.on_exceed}


def _registered_terms(terms: Terms) -> dict[str, str]:
    return {"support": terms.support, "discount": str(terms.discount), "accountUsd": str(terms.account_usd)}


def _registered_slices(slices: Sequence[Slices]) -> dict[str, dict[str, int | float | None]]:
    return {each.size: {"count": _number(each.count), "eighths": _number(each.eighths)} for each in slices}


def _registered_team(team: Team) -> dict[str, Any]:
    shares = {each.part: {"gpus": each.gpus, "of": each.of} for each in team.shares}
    return {**({} if team.monthly is None else {"monthly": str(team.monthly)}), "shares": shares}


def _registered_storage(storage: StorageRequest) -> dict[str, str]:
    found = {"usableTib": storage.usable_tib, "gbPerS": storage.gb_per_s, "headroom": storage.headroom}
    return {name: str(value) for name, value in found.items() if value is not None}
