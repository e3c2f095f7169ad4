"""Matches a charge to a line of a plan, by the terms of the cloud that issued the bill.

The terms are those that `gpucluster cost prices refresh` queries in the clouds' price lists: usage types of AWS, meters
of Azure, descriptions of Google Cloud.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, Final

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, urn_name
from gpucluster.core.program.values import is_list, is_object
from gpucluster.core.text.json_text import BadJson, parse
from gpucluster.cost.bills.charges import Charge, factor
from gpucluster.cost.bills.planned import Planned
from gpucluster.cost.bills.read import Wanted
from gpucluster.cost.prices.live.query import Condition, Part
from gpucluster.cost.prices.live.sources import queries

_REGION: Final = re.compile(r"^[a-z]{2}-[a-z-]+-\d-")
"""Prefix of usage types of KMS and others; those of EC2 begin with `USE1-` or have no prefix."""

_RESERVED: Final = re.compile(r"^(?:[A-Z]{2,4}\d?-)?(?:Reservation|DedicatedRes):")
"""Usage types that state the hours of a capacity reservation at rate 0, beside the machines that are billed: BoxUsage
and UnusedBox (AWS Data Exports user guide, "Monitoring your On-Demand capacity reservations")."""

_DEDICATED: Final = re.compile(r"(?:Dedicated|Host|UnusedDed)\w*:")
"""Usage types of AWS for machines of single tenants, whose price is another one."""

_FIELDS: Final = ("usagetype", "metername", "description")
"""Fields of price lists that bills contain as well."""


def has_words(provider: str, sku: str, unit: str) -> bool:
    """Whether the cloud's terms for it are known."""
    return unit == "instance-hour" or bool(_parts(provider, sku, unit))


def count_of(charge: Charge, provider: str, sku: str, unit: str) -> Decimal | None:
    """Charged units per unit of a plan: None if it is another item, 0 if the charge is an uncounted part of it, such as
    the memory of a machine next to its GPUs.
    """
    if provider == "aws" and _RESERVED.match(charge.meter):
        machine = charge.meter.rpartition(":")[2]
        return Decimal(0) if (unit, machine) == ("instance-hour", sku) else None
    texts = tuple(filter(None, (charge.meter, _REGION.sub("", charge.meter), charge.description, charge.details)))
    if sku in texts:  # `gpucluster cost report --format focus`
        return Decimal(1)
    if unit == "instance-hour" and any(_machine(sku).search(text) for text in texts):
        return Decimal(1)
    for parts in _parts(provider, sku, unit):
        counted = min(parts, key=lambda part: part.count)
        for part in parts:
            if all(_holds(condition, texts) for condition in _conditions(part)):
                return part.count if part is counted else Decimal(0)
    return None


@cache
def _machine(sku: str) -> re.Pattern[str]:
    """A machine type as in bills: Azure's meters omit the prefix of its name and contain spaces."""
    names = {sku, sku.removeprefix("Standard_").replace("_", " ")}
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w.-])")


@cache
def _parts(provider: str, sku: str, unit: str) -> Sequence[Sequence[Part]]:
    """The parts of an item's price, for each purchase option that a bill can identify."""
    try:
        known = queries(provider) if provider in clouds() else ()  # no path comes from the text of a plan
    except FileNotFoundError:
        known = ()
    of_sku = [query for query in known if (query.sku, query.unit) == (sku, unit)]
    return tuple(query.parts for query in of_sku if all(map(_tells, query.parts)))


def _tells(part: Part) -> bool:
    return any(condition.how != "!~" for condition in _conditions(part))


def _conditions(part: Part) -> list[Condition]:
    return [condition for condition in part.conditions if condition.field in _FIELDS]


def _holds(condition: Condition, texts: Sequence[str]) -> bool:
    if condition.how == "==":
        return condition.value in texts
    found = any(_compiled(condition.value).fullmatch(text) for text in texts)
    return found == (condition.how == "=~")


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


@dataclass(frozen=True)
class Match:
    """quantity: in the line's units; 0 for a charge that only adds to its cost, None for an unknown unit."""

    line: Planned
    quantity: Decimal | None


class Matcher:
    """The lines of one stack."""

    def __init__(self, lines: Sequence[Planned], resources: Resources, stack: StackCharges) -> None:
        self._lines = lines
        self._resources = resources
        self._stack = stack
        self._parts = {line.part for line in lines}

    def has(self, charge: Charge) -> bool:
        """Whether a charge belongs to this stack, by its labels or its id."""
        return self._by_id(charge) is not None or self._stack.holds(tags_of(charge.tags))

    def unmarked(self, charge: Charge) -> bool:
        """Whether nothing identifies the owner of a charge."""
        return not self._stack.labels.keys() & tags_of(charge.tags).keys()

    def of(self, charge: Charge) -> Match | None:
        """The line of a charge: one of its resource, else of its component, else of the stack."""
        urns = self._urns(charge)
        own = [line for line in self._lines if line.urn in urns]
        parts = {self._part(urn) for urn in urns}
        around = [line for line in self._lines if line.part in parts]
        for lines in (own, around, self._lines):
            if found := same_thing(charge, lines):
                return found
        alike = [line for line in own or around if not has_words(line.provider, line.sku, line.unit)]
        alike = [line for line in alike if factor(charge.unit, line.unit) is not None]
        expected = [line for line in alike if line.quantity or line.quantity is None] or alike
        return Match(expected[0], _quantity(charge, expected[0], Decimal(1))) if len(expected) == 1 else None

    def _by_id(self, charge: Charge) -> str | None:
        if self._resources.get(charge.resource) is not None:
            return charge.resource  # a URN, as in `gpucluster cost report --format focus`
        return self._stack.ids.get(charge.resource.lower()) if charge.resource else None

    def _urns(self, charge: Charge) -> frozenset[str]:
        by_id = self._by_id(charge)
        if by_id is not None:
            return frozenset({by_id})
        return self._stack.names.get(tags_of(charge.tags).get("name", ""), frozenset())

    def _part(self, urn: str) -> str:
        """The component around a resource that the estimate shows its lines under."""
        resource = self._resources.get(urn)
        while resource is not None and urn_name(resource.urn) not in self._parts:
            resource = self._resources.get(resource.parent)
        return "" if resource is None else urn_name(resource.urn)


def same_thing(charge: Charge, lines: Iterable[Planned]) -> Match | None:
    """The line of the item that the charge names; if several, one with the same purchase option."""
    found = [
        (line, count) for line in lines if (count := count_of(charge, line.provider, line.sku, line.unit)) is not None
    ]
    if not found:
        return None
    line, count = max(found, key=lambda pair: (_bought_alike(charge, pair[0]), pair[0].quantity or 0))
    return Match(line, _quantity(charge, line, count))


def _bought_alike(charge: Charge, line: Planned) -> bool:
    committed = line.purchase in ("reserved", "savings_plan", "instance_savings_plan", "capacity_block", "dws_calendar")
    return bool(charge.commitment) == committed and (market(charge) == "spot") == (line.purchase == "spot")


def market(charge: Charge) -> str:
    """Where the machines of a charge were bought: `spot`, `dedicated`, or empty for the normal market."""
    text = f"{charge.meter} {charge.description}".lower()
    if "spot" in text:
        return "spot"
    return "dedicated" if _DEDICATED.search(charge.meter) else ""


def _quantity(charge: Charge, line: Planned, count: Decimal) -> Decimal | None:
    """Quantity in units of a line. Discounts, and parts that are not counted, have none."""
    if not count or charge.quantity is None:
        return Decimal(0)
    each = factor(charge.unit, "hour" if line.unit == "instance-hour" else line.unit)
    return None if each is None else charge.quantity * each / count


_LABELS: Final = frozenset({"tags", "labels", "resourceLabels"})
_STACK: Final = "pulumi_stack"
_ENOUGH: Final = 3
"""Labels that a charge must carry if it does not name the stack."""
_IDS: Final = ("id", "arn", "selfLink")
_PREFIX: Final = re.compile(r"user[_:/]")
"""For a user's tag `team`, AWS writes `user_team`, or `user:team` in exports by columns."""


@dataclass(frozen=True, kw_only=True)
class StackCharges:
    """labels: those on every named item of the program. names: name in the labels -> URNs of the resources that set it.
    ids: of a resource in the cloud -> its URN, if the source is a state.
    """

    labels: Mapping[str, str]
    names: Mapping[str, frozenset[str]]
    ids: Mapping[str, str]

    @property
    def wanted(self) -> Wanted:
        """The search terms for a bill."""
        stack = self.labels.get(_STACK)
        words = {stack} if stack else set[str]() if self.labels else {*self.names}
        return Wanted(
            words=frozenset(f'"{word}"' for word in words),
            values=frozenset(f'"{value}"' for value in self.labels.values()),
            enough=self._enough,
            ids=frozenset(self.ids),
            keys=self.keys,
        )

    @property
    def _enough(self) -> int:
        """Number of labels that identify a charge of the stack without its name: all if there are few."""
        return min(_ENOUGH, max(len(self.labels), 1))

    @property
    def keys(self) -> frozenset[str]:
        """Label keys as bills may write them; one of them shows that a charge has labels."""
        keys = [_STACK] if _STACK in self.labels else list(self.labels)
        return frozenset(form for key in keys for form in (key, key.replace("_", "-")))

    def holds(self, tags: Mapping[str, str]) -> bool:
        """Whether a charge with these tags belongs to the stack: no label differs, and enough are present."""
        there = {key: tags[key] for key in self.labels if key in tags}
        if any(value != self.labels[key] for key, value in there.items()):
            return False
        return _STACK in there or len(there) >= self._enough or (not self.labels and tags.get("name") in self.names)


def stack_charges(resources: Resources) -> StackCharges:
    """The labels, names and ids of all resources of a stack."""
    sets = [(resource, labels) for resource in resources for labels in _label_sets(resource.inputs)]
    named = [(resource, labels) for resource, labels in sets if "name" in labels]
    alike = _common([labels for _, labels in named])
    names: dict[str, set[str]] = {}
    for resource, labels in named:
        names.setdefault(labels["name"], set()).add(resource.urn)
    return StackCharges(
        labels={key: value for key, value in sorted(alike) if key != "name"},
        names={name: frozenset(urns) for name, urns in names.items()},
        ids={id_.lower(): resource.urn for resource in resources for id_ in _ids(resource)},
    )


def _common(sets: Sequence[Mapping[str, str]]) -> set[tuple[str, str]]:
    """The labels that all of them share."""
    first: set[tuple[str, str]] = {*sets[0].items()} if sets else set()
    return first.intersection(*(labels.items() for labels in sets[1:]))


@cache
def tags_of(text: str) -> Mapping[str, str]:
    """The tags of a charge, with normalised keys, from a JSON object or a list of keys and values."""
    try:
        found: Any = parse(text) if text else None
    except BadJson:
        return {}
    if is_list(found):
        found = {each.get("key"): each.get("value") for each in found if is_object(each)}
    return _plain(found) if is_object(found) else {}


def _label_sets(value: Any, depth: int = 0) -> Iterator[dict[str, str]]:
    """Every set of labels in the inputs of a resource, some of which apply to disks and machines it creates."""
    if is_object(value):
        for key, inside in value.items():
            if key in _LABELS and is_object(inside):
                yield _plain(inside)
            else:
                yield from _label_sets(inside, depth + 1)
    elif is_list(value):
        for inside in value:
            yield from _label_sets(inside, depth + 1)


def _plain(labels: Mapping[Any, Any]) -> dict[str, str]:
    return {_key(str(key)): str(value) for key, value in labels.items() if value is not UNKNOWN and value is not None}


def _key(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "_", _PREFIX.sub("", text.lower(), count=1))


def _ids(resource: Resource) -> Iterator[str]:
    for name in _IDS:
        value = resource.outputs.get(name)
        if isinstance(value, str) and len(value) > len("vpc-1234"):
            yield value
