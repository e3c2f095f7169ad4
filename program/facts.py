"""What components state of themselves, for all who read a program without knowing its components.

A component registers `Facts.registered()` as inputs and outputs; `stated` reads them back, from ours and from any other
component that registers the same names:

===================  ============================================================================================
`requiredLabels`     key -> value that everything around and inside the component carries
`budget`             `{"monthly": "250000", "onExceed": "fail" | "warn", "currency": "USD"}`
`exemptions`         findings that a team accepts; `policies.exemptions` reads its entries
`terms`              cloud -> what its account has agreed: `{"aws": {"support": "business", "discount": "0.08",
                     "accountUsd": "100000"}}`; `Terms` says what each means
`durationDays`       days the cluster is wanted for
`begun`              when it was first built, `2026-11-23T14:07:45+00:00`; an output of the stack
`trainingGpus`       GPUs that training jobs can use, spares not counted; `spareGpus` those bought beside them
`outsideTraining`    names of components whose lines do not count into the price of a training GPU-hour
`slices`             MIG slices by component: `{"trial-mig": {"1g.10gb": {"count": 56, "eighths": 1}}}`; eighths of a
                     GPU's memory, by which the cost of the component is shared among its slices
`teams`              teams that share the cluster: `{"vision": {"monthly": "200000", "shares": {"trial-training":
                     {"gpus": 16, "of": 32}}}}`; the name of a pool's machines begins with that of its share
`rolls`              names of components whose nodes an update may replace
`notBuilt`           what was asked for and is not built, one text each
`losses`             what the cloud can't give of what was asked, one text each
`notes`              what a reader of the plan should know, one text each
`equivalence`        what two clusters are compared by: property -> value; numbers are per training node, of the file
                     system, or of the whole pool
`storageAsked`       what the shared file system is for: `usableTib`, `gbPerS`, `headroom`
`scaleSetLimit`      nodes with InfiniBand that one scale set of the subscription holds
`whatIf`             what this preview has otherwise than the user's files, one text each
===================  ============================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, Literal, TypeVar

from gpucluster.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.program.values import BadValue, amount, is_list, is_object, items, whole
from gpucluster.record import record

__all__ = ["Budget", "Facts", "PoolShare", "Slices", "Stated", "StorageAsked", "Team", "Terms", "stated"]

_Known = TypeVar("_Known")


@record
class Budget:
    """What the user allows: USD a month, and whether more than that stops the plan or warns."""

    monthly: Decimal
    on_exceed: Literal["fail", "warn"] = field(default="warn")


@record(kw_only=True)
class Terms:
    """What an account has agreed with its cloud.

    support: plan of support by its name in the price book, empty for none. discount: share off list prices, 0 to 1.
    account_usd: USD a month that the account is charged besides this stack, on which the bands of support depend.
    """

    support: str = ""
    discount: Decimal = Decimal(0)
    account_usd: Decimal = Decimal(0)


@record(kw_only=True)
class Slices:
    """Slices of one size. eighths: of a GPU's memory that each has."""

    size: str
    count: Decimal
    eighths: Decimal


@record(kw_only=True)
class PoolShare:
    """What a team has of one pool. part: what the names of the pool's machines begin with. of: the pool's GPUs."""

    part: str
    gpus: int
    of: int


@record(kw_only=True)
class Team:
    """monthly: USD that its shares may cost a month, None where nobody said. shares: one for each pool, also of 0."""

    monthly: Decimal | None = None
    shares: tuple[PoolShare, ...] = ()


@record(kw_only=True)
class StorageAsked:
    """TiB that data may fill, GB/s of the whole, and the factor of space on top of the data, None for the usual one."""

    usable_tib: Decimal
    gb_per_s: Decimal
    headroom: Decimal | None = None


@record(kw_only=True)
class Facts:
    """What one component states, by the names above; None, or empty, is not stated."""

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
    not_built: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    equivalence: Mapping[str, Any] = field(default_factory=dict[str, Any])
    storage_asked: StorageAsked | None = None
    scale_set_limit: int | Unknown | None = None
    what_if: tuple[str, ...] = ()

    def registered(self) -> dict[str, Any]:
        """What a component registers. Nothing of it is UNKNOWN: who writes facts knows them."""
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
            "notBuilt": list(self.not_built),
            "losses": list(self.losses),
            "notes": list(self.notes),
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


def _registered_storage(asked: StorageAsked) -> dict[str, str]:
    found = {"usableTib": asked.usable_tib, "gbPerS": asked.gb_per_s, "headroom": asked.headroom}
    return {name: str(value) for name, value in found.items() if value is not None}


@record(kw_only=True)
class Stated:
    """One component and its facts.

    names: of all that it registers, also of what can't be used. unread: (name, reason) of that, and of what could be
    used in part.
    """

    component: Resource
    facts: Facts
    names: frozenset[str]
    unread: tuple[tuple[str, str], ...] = ()


_NAMES: Final = frozenset(re.sub("_(.)", lambda found: found[1].upper(), one.name) for one in fields(Facts))


def stated(resources: Resources) -> Iterator[Stated]:
    """The facts of every component that registers any."""
    for component in resources:
        if component.custom:
            continue
        found = component.registered
        names = frozenset(name for name in _NAMES & found.keys() if found[name] is not None)
        if names:
            reading = _Reading(component.name, found)
            yield Stated(component=component, facts=reading.facts(), names=names, unread=tuple(reading.unread))


class _Reading:
    """Reads what one component registers; what it can't use is None or empty, and named in `unread`."""

    def __init__(self, component: str, found: Mapping[str, Any]) -> None:
        self.unread: list[tuple[str, str]] = []
        self._component = component
        self._found = found

    def facts(self) -> Facts:
        return Facts(
            required_labels=self._labels("requiredLabels"),
            exemptions=items(self._found, "exemptions"),
            training_gpus=self._number("trainingGpus"),
            spare_gpus=self._number("spareGpus"),
            duration_days=self._number("durationDays"),
            begun=self._time("begun"),
            outside_training=self._texts("outsideTraining"),
            slices=self._slices("slices"),
            teams=self._teams("teams"),
            rolls=self._texts("rolls"),
            not_built=self._texts("notBuilt"),
            losses=self._texts("losses"),
            notes=self._texts("notes"),
            equivalence=self._object("equivalence"),
            storage_asked=self._storage("storageAsked"),
            scale_set_limit=whole(self._found, "scaleSetLimit"),
            what_if=self._texts("whatIf"),
            budget=self._budget("budget"),
            terms=self._terms("terms"),
        )

    def _refuse(self, name: str, reason: str) -> None:
        self.unread.append((name, reason))

    def _of(self, name: str) -> str:
        return f"{name} of {self._component}"

    def _labels(self, name: str) -> Mapping[str, Any] | Unknown | None:
        value = self._found.get(name)
        return value if value is UNKNOWN or value is None or is_object(value) else {}

    def _object(self, name: str) -> Mapping[str, Any]:
        value = self._found.get(name)
        return value if is_object(value) else {}

    def _number(self, name: str) -> Decimal | Unknown | None:
        value = self._found.get(name)
        if value is None:
            return None
        if value is UNKNOWN:
            self._refuse(name, f"{self._of(name)} is not known before the update")
            return UNKNOWN
        try:
            return amount(value, self._of(name))
        except BadValue as error:
            self._refuse(name, str(error))
            return None

    def _time(self, name: str) -> datetime | None:
        value = self._found.get(name)
        if value is None or value is UNKNOWN:  # the preview of a first update does not know it
            return None
        try:
            found = datetime.fromisoformat(value)
        except (TypeError, ValueError):
            found = None
        if found is None or found.tzinfo is None:
            self._refuse(name, f"{self._of(name)} is {value!r}, expected a time such as 2026-11-23T14:07:45+00:00")
            return None
        return found

    def _texts(self, name: str) -> tuple[str, ...]:
        value = self._found.get(name)
        if value is None:
            return ()
        if is_list(value) and all(isinstance(item, str) for item in value):
            return tuple(value)
        self._refuse(name, f"{self._of(name)} is not a list of texts that is known before the update")
        return ()

    def _slices(self, name: str) -> dict[str, tuple[Slices, ...]]:
        value = self._found.get(name)
        if value is None:
            return {}
        if value is UNKNOWN:
            self._refuse(name, f"{self._of(name)} are not known before the update")
            return {}
        try:
            return {part: tuple(_sizes(part, sizes)) for part, sizes in _object(value).items()}
        except BadValue as error:
            self._refuse(name, f"{self._of(name)} cannot be used: {error}")
            return {}

    def _teams(self, name: str) -> dict[str, Team]:
        value = self._found.get(name)
        if value is None:
            return {}
        if value is UNKNOWN:
            self._refuse(name, f"{self._of(name)} are not known before the update")
            return {}
        try:
            return {team: _team(team, given) for team, given in _object(value).items()}
        except BadValue as error:
            self._refuse(name, f"{self._of(name)} cannot be used: {error}")
            return {}

    def _terms(self, name: str) -> dict[str, Terms]:
        value = self._found.get(name)
        if value is None:
            return {}
        try:
            return {cloud: _terms(cloud, given) for cloud, given in _object(value).items()}
        except BadValue as error:
            self._refuse(name, f"{self._of(name)} cannot be used: {error}")
            return {}

    def _storage(self, name: str) -> StorageAsked | None:
        value = self._found.get(name)
        if not is_object(value):
            return None
        asked = {"usableTib": value.get("usableTib"), "gbPerS": value.get("gbPerS", 0)}
        try:
            usable, speed = (amount(given, key) for key, given in asked.items())
            headroom = value.get("headroom")
            return StorageAsked(
                usable_tib=usable,
                gb_per_s=speed,
                headroom=None if headroom is None else amount(headroom, "headroom"),
            )
        except BadValue as error:
            self._refuse(name, f"{self._of(name)} cannot be used: {error}")
            return None

    def _budget(self, name: str) -> Budget | Unknown | None:
        value = self._found.get(name)
        if value is None:
            return None
        if value is UNKNOWN or (is_object(value) and value.get("monthly") is UNKNOWN):
            self._refuse(name, f"{self._of(name)} is not known before the update")
            return UNKNOWN
        if not is_object(value):
            self._refuse(name, f"{self._of(name)} is {value!r}, expected {{monthly: USD, onExceed: fail or warn}}")
            return None
        if value.get("currency", "USD") != "USD":
            self._refuse(name, f"{self._of(name)} is in {value['currency']!r}; prices are in USD")
            return None
        on_exceed = value.get("onExceed", "warn")
        if on_exceed not in ("fail", "warn"):
            where = f"{name}.onExceed of {self._component}"
            self._refuse(name, f"{where} is {on_exceed!r}, expected fail or warn: taken as fail")
            on_exceed = "fail"
        try:
            return Budget(amount(value.get("monthly"), f"{name}.monthly of {self._component}"), on_exceed)
        except BadValue as error:
            self._refuse(name, str(error))
            return None


def _sizes(part: str, value: object) -> Iterator[Slices]:
    for size, given in _object(value).items():
        amounts = {key: amount(_object(given).get(key), f"{key} of {size} in {part}") for key in ("count", "eighths")}
        if not all(each > 0 for each in amounts.values()):
            raise BadValue(f"{size} in {part} has count {amounts['count']} and eighths {amounts['eighths']}")
        yield Slices(size=size, **amounts)


def _terms(cloud: str, value: object) -> Terms:
    given = _object(value)
    support = given.get("support", "")
    discount = amount(given.get("discount", 0), f"discount of {cloud}")
    if not isinstance(support, str) or discount >= 1:
        raise BadValue(f"{cloud} has support {support!r} and discount {discount}; a discount is from 0 to less than 1")
    return Terms(
        support=support,
        discount=discount,
        account_usd=amount(given.get("accountUsd", 0), f"accountUsd of {cloud}"),
    )


def _team(name: str, value: object) -> Team:
    given = _object(value)
    monthly = given.get("monthly")
    shares: list[PoolShare] = []
    for part, share in _object(given.get("shares", {})).items():
        gpus, of = (amount(_object(share).get(key), f"{key} of {name} in {part}") for key in ("gpus", "of"))
        if not (0 <= gpus <= of and of > 0):
            raise BadValue(f"{name} has {gpus} of {of} GPUs in {part}")
        shares.append(PoolShare(part=part, gpus=int(gpus), of=int(of)))
    return Team(
        monthly=None if monthly is None else amount(monthly, f"monthly of {name}"),
        shares=tuple(shares),
    )


def _object(value: object) -> Mapping[str, Any]:
    if not is_object(value):
        raise BadValue(f"{value!r} is not an object that is known before the update")
    return value
