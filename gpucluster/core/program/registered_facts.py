"""The facts that components registered, read back from a program."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, Final, TypeVar

from gpucluster.core.program.facts import Budget, Facts, PoolShare, Slices, StorageRequest, Team, Terms
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import BadValue, amount, is_list, is_object, items, whole

_Read = TypeVar("_Read")


@dataclass(frozen=True, kw_only=True)
class ComponentFacts:
    """One component and its facts.

    names: all registered names, including unusable ones. unread: (name, reason) of values that are unusable, or
    only partly used.
    """

    component: Resource
    facts: Facts
    names: frozenset[str]
    unread: tuple[tuple[str, str], ...] = ()


_NAMES: Final = frozenset(re.sub("_(.)", lambda found: found[1].upper(), one.name) for one in fields(Facts))


def read_registered_facts(resources: Resources) -> Iterator[ComponentFacts]:
    """The facts of every component that registers any."""
    for component in resources:
        if component.custom:
            continue
        found = component.registered
        names = frozenset(name for name in _NAMES & found.keys() if found[name] is not None)
        if names:
            reading = _Reading(component.name, found)
            yield ComponentFacts(component=component, facts=reading.facts(), names=names, unread=tuple(reading.unread))


class _Reading:
    """Reads the registered values of one component; unusable ones are None or empty, and listed in `unread`."""

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
            slices=self._known_objects("slices", _sizes),
            teams=self._known_objects("teams", _team),
            rolls=self._texts("rolls"),
            paused=self._found.get("paused") is True,
            not_built=self._texts("notBuilt"),
            losses=self._texts("losses"),
            notes=self._texts("notes"),
            equivalence=self._object("equivalence"),
            storage_asked=self._storage("storageAsked"),
            scale_set_limit=whole(self._found, "scaleSetLimit"),
            what_if=self._texts("whatIf"),
            budget=self._budget("budget"),
            terms=self._objects("terms", _terms),
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
        if value is None or value is UNKNOWN:  # unknown in the preview of a first update
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

    def _known_objects(self, name: str, read: Callable[[str, object], _Read]) -> dict[str, _Read]:
        if self._found.get(name) is UNKNOWN:
            self._refuse(name, f"{self._of(name)} are not known before the update")
            return {}
        return self._objects(name, read)

    def _objects(self, name: str, read: Callable[[str, object], _Read]) -> dict[str, _Read]:
        """The result of `read` for each value, by its key; nothing if it refuses one."""
        value = self._found.get(name)
        if value is None:
            return {}
        try:
            return {key: read(key, given) for key, given in _object(value).items()}
        except BadValue as error:
            self._refuse(name, f"{self._of(name)} cannot be used: {error}")
            return {}

    def _storage(self, name: str) -> StorageRequest | None:
        value = self._found.get(name)
        if not is_object(value):
            return None
        values = {"usableTib": value.get("usableTib"), "gbPerS": value.get("gbPerS", 0)}
        try:
            usable, speed = (amount(given, key) for key, given in values.items())
            headroom = value.get("headroom")
            return StorageRequest(
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
            self._refuse(name, f"{where} is {on_exceed!r}, expected fail or warn: treated as fail")
            on_exceed = "fail"
        try:
            return Budget(amount(value.get("monthly"), f"{name}.monthly of {self._component}"), on_exceed)
        except BadValue as error:
            self._refuse(name, str(error))
            return None


def _sizes(part: str, value: object) -> tuple[Slices, ...]:
    found: list[Slices] = []
    for size, given in _object(value).items():
        amounts = {key: amount(_object(given).get(key), f"{key} of {size} in {part}") for key in ("count", "eighths")}
        if not all(each > 0 for each in amounts.values()):
            raise BadValue(f"{size} in {part} has count {amounts['count']} and eighths {amounts['eighths']}")
        found.append(Slices(size=size, **amounts))
    return tuple(found)


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
