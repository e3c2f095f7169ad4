"""One row of a table: its conditions, name, price and quantity."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Final

from gpucluster.core.catalog.tables import Row
from gpucluster.core.program.resources import UNKNOWN
from gpucluster.core.program.values import is_list
from gpucluster.cost.handlers.whole_machines import or_named
from gpucluster.cost.pricing.cloud_parts import part_of
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, CostLine, Free, NotPriced
from gpucluster.cost.pricing.pricing import CannotPrice, Pricing, read
from gpucluster.cost.rates import rows_of, usage_words

_HOLE: Final = r"\{([\w.]+)(?::([^}]*))?\}"
_CONDITION: Final = r"([\w.]+)(?::([^=!]*))?(!?=)(.*)"
_FACTOR: Final = r"(#?)\{([\w.]+)(?::([\d.]+))?\}|([\d.]+)|([a-z]\w*)"


@dataclass(frozen=True)
class Condition:
    """An input that must have, or must not have, one of some values.

    otherwise: what an absent input counts as; `values` are lower case, "" is an input that is absent.
    """

    path: tuple[str | int, ...]
    otherwise: str
    values: tuple[str, ...]
    holds: bool = True

    def met_by(self, item: Pricing) -> bool:
        """Whether the resource has it. Raises CannotPrice when the input is not known."""
        return (self.seen(item).lower() in self.values) is self.holds

    def seen(self, item: Pricing) -> str:
        """The input as text, `otherwise` when it is absent."""
        value = read(item.resource.inputs, *self.path)
        if value is UNKNOWN and self.values == ("",):  # that it is set is all that is asked
            return str(value)
        value = item.get(*self.path)
        return self.otherwise if value is None else str(value)


@dataclass(frozen=True)
class Factor:
    """One factor of a quantity: a `number`, the hours of a month, an input, members of a list input, or usage.

    Exactly one of `number`, `path` and `usage` is given; the usage `hours` is the hours of a month.
    """

    number: Decimal | None = None
    path: tuple[str | int, ...] = ()
    otherwise: Decimal | None = None
    members: bool = False
    usage: str = ""

    def value(self, item: Pricing, unit: str) -> Decimal:
        """Its value. Raises CannotPrice for an input that is unknown, absent without a default, or no number.

        How many members a list has that is not known yet is the default, where there is one.
        """
        if self.number is not None:
            return self.number
        if self.usage == "hours":
            return item.assumptions.hours_per_month if unit == "instance-hour" else HOURS_PER_MONTH
        if self.usage:
            return item.assumptions.amount(self.usage)
        if self.members:
            if self.otherwise is not None and not is_list(read(item.resource.inputs, *self.path)):
                return self.otherwise
            return Decimal(len(item.items(*self.path)))
        if self.otherwise is not None and item.get(*self.path) is None:
            return self.otherwise
        return item.number(*self.path)

    def assumption(self, item: Pricing) -> str:
        """The assumption on an unknown list; empty without one."""
        unknown = self.members and self.otherwise is not None and read(item.resource.inputs, *self.path) is UNKNOWN
        return f"{'.'.join(map(str, self.path))} is not known: assumed {self.otherwise}" if unknown else ""


@dataclass(frozen=True)
class Rate:
    """One line of a bill, as `cost.rates` describes the columns."""

    when: tuple[Condition, ...]
    name: str
    sku: str
    unit: str
    quantity: tuple[Factor, ...]
    region: str
    leaves: str

    def applies(self, item: Pricing) -> bool:
        """Whether the resource is billed so. Raises CannotPrice when what decides it is not known."""
        return all(condition.met_by(item) for condition in self.when)

    def lines(self, item: Pricing, region: str) -> Iterator[CostLine]:
        """The line, one at most. Raises CannotPrice without a price, or where an input is missing."""
        values = [factor.value(item, self.unit) for factor in self.quantity]
        quantity = Decimal(1)
        for value in values:
            quantity *= value
        price = item.price(_filled(self.sku, item).lower(), self.unit, region=self.region or region)
        name = _filled(self.name, item)
        assumption = self._assumption(item, name)
        yield item.line(name, quantity, price, basis=self._basis(values), assumption=assumption, usage=self.usage)

    @property
    def usage(self) -> tuple[str, ...]:
        """Names of usage that the quantity rests on."""
        return tuple(factor.usage for factor in self.quantity if factor.usage not in ("", "hours"))

    def title(self, item: Pricing) -> str:
        """The name as far as the resource fills it in."""
        try:
            return _filled(self.name, item)
        except CannotPrice:
            return self.name.partition("{")[0].strip()

    def _basis(self, values: list[Decimal]) -> str:
        """`730 h`, `3 x 730 h`; empty where the quantity says it all."""
        if not any(factor.usage == "hours" for factor in self.quantity):
            return ""
        shown = [f"{value.normalize():f}" for value, factor in zip(values, self.quantity, strict=True)
                 if factor.usage != "hours" and value != 1]  # fmt: skip
        hours = next(value for value, factor in zip(values, self.quantity, strict=True) if factor.usage == "hours")
        return " x ".join([*shown, f"{hours.normalize():f} h"])

    def _assumption(self, item: Pricing, name: str) -> str:
        """The usage that determines the quantity, and costs that are not in the total."""
        names = [*self.usage]
        if self.unit == "instance-hour" and item.assumptions.hours_per_month != HOURS_PER_MONTH:
            names.append("hours_per_month")
        texts = [item.assumptions.text(name) for name in names]
        texts += [text for factor in self.quantity if (text := factor.assumption(item))]
        return "; ".join([*texts, *([f"not in the total of {name}: {self.leaves}"] if self.leaves else [])])


def _filled(text: str, item: Pricing) -> str:
    def value(match: re.Match[str]) -> str:
        found = item.get(*_path(match[1]))
        if found is None and match[2] is None:
            raise CannotPrice(f"{match[1]} is not set")
        return str(match[2] if found is None else found)

    return re.sub(_HOLE, value, text) if "{" in text else text


def rate_of(row: Row) -> Rate:
    """The rate in a row of a table. DamagedTable names what cannot be read."""
    return Rate(
        tuple(_condition(row, text.strip()) for text in row["when"].split(";") if text.strip()),
        row["name"],
        row["sku"],
        row["unit"],
        tuple(_factor(row, text.strip()) for text in row["quantity"].split(" x ")),
        row["region"],
        row["leaves"],
    )


def _condition(row: Row, text: str) -> Condition:
    match = re.fullmatch(_CONDITION, text)
    if match is None:
        raise row.bad("when", f"{text!r} is not a condition: write input=value")
    path, otherwise, sign, values = match.groups()
    return Condition(_path(path), otherwise or "", tuple(values.lower().split("|")), sign == "=")


def _factor(row: Row, text: str) -> Factor:
    match = re.fullmatch(_FACTOR, text)
    if match is None or (match[5] and match[5] != "hours" and match[5] not in usage_words()):
        write = "write a number, hours, {input}, #{input} or a name of cost/rates/usage.csv"
        raise row.bad("quantity", f"{text!r} is not a factor: {write}")
    members, path, otherwise, number, usage = match.groups()
    if number:
        return Factor(number=Decimal(number))
    if usage:
        return Factor(usage=usage)
    return Factor(path=_path(path), otherwise=Decimal(otherwise) if otherwise else None, members=bool(members))


def _path(text: str) -> tuple[str | int, ...]:
    return tuple(int(step) if step.isdecimal() else step for step in text.split("."))


def by_table(type_: str) -> Callable[[Pricing], Iterator[CostLine | Free | NotPriced]]:
    """The handler of a type that has rows in a table; `gpucluster cost types` reads its first line."""

    def handler(item: Pricing) -> Iterator[CostLine | Free | NotPriced]:
        region, found = "", False
        for rate in _rates(type_):
            if not rate.applies(item):
                continue
            found = True
            if rate.unit == "free":
                yield item.free(rate.name, rate.sku)
                continue
            if not region and not rate.region:
                region = _region(item)
            yield from or_named(
                item, rate.lines(item, region), what=rate.title(item), compute=rate.unit == "instance-hour"
            )
        if not found:
            yield item.not_priced(_why_none(item, _rates(type_)))

    names = list(dict.fromkeys(row["name"] for row in _rows(type_) if row["unit"] != "free"))
    handler.__doc__ = f"{'; '.join(names) or 'No charge'}."
    handler.__module__ = __name__
    return handler


def _rows(type_: str) -> Sequence[Row]:
    return rows_of(type_.partition(":")[0])[type_]


@cache
def _rates(type_: str) -> tuple[Rate, ...]:
    return tuple(map(rate_of, _rows(type_)))


def _why_none(item: Pricing, rates: tuple[Rate, ...]) -> str:
    """Why the nearest rate does not apply: inputs of the resource, and their allowed values."""
    unmet = [[one for one in rate.when if not one.met_by(item)] for rate in rates]
    return "; ".join(_allowed(item, one, rates) for one in min(unmet, key=len))


def _allowed(item: Pricing, condition: Condition, rates: tuple[Rate, ...]) -> str:
    path, seen = ".".join(map(str, condition.path)), condition.seen(item)
    alike = (one for rate in rates for one in rate.when if one.path == condition.path and one.holds)
    known = dict.fromkeys(value for one in alike for value in one.values if value)
    shown = f"{path} is {seen!r}" if seen else f"{path} is not set"
    return f"{shown}; priced are {', '.join(known)}" if known else shown


def _region(item: Pricing) -> str:
    own: Callable[[Pricing], str] | None = part_of(item.provider, "region_of")
    return item.region if own is None else own(item)
