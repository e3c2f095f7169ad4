"""The view of a price handler: one resource, with unknown and invalid inputs reported, and the price book."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from gpucluster.core.catalog.clouds import cloud_of_package
from gpucluster.core.catalog.resource_types import region_of_outputs
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, region_key, urn_type
from gpucluster.core.program.values import BadValue, amount, is_list, is_object, shown
from gpucluster.cost.prices import NotKnown, Price, PriceBook
from gpucluster.cost.prices.lookup import price_or_bound
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, Between, CostLine, Free, NotPriced, Unbounded


@functools.cache
def provider_of(type_: str) -> str:
    """The price book file for a resource type: the package of its token, or that package's other name in the book."""
    package = type_.split(":", 1)[0]
    cloud = cloud_of_package(package)
    return package if cloud is None else cloud.name


class CannotPrice(Exception):
    """A handler cannot continue; the message is the reason shown to the user.

    own_row: for a missing price, the beginning of the user's price row for it.
    """

    def __init__(self, reason: str, own_row: str = "") -> None:
        super().__init__(reason)
        self.own_row = own_row


def read(value: Any, *path: str | int) -> Any:
    """The value at `path` inside inputs, None if absent, UNKNOWN if it or anything above it is unknown.

    Raises CannotPrice if something on the path is neither an object nor a list.
    """
    for step in path:
        if value is None or value is UNKNOWN:
            return value
        if is_object(value) and isinstance(step, str):
            value = value.get(step)
        elif is_list(value) and isinstance(step, int):
            value = value[step] if step < len(value) else None
        else:
            shown = ".".join(str(part) for part in path)
            raise CannotPrice(f"{shown} cannot be read: found {value!r} on the way")
    return value


@dataclass(frozen=True, kw_only=True)
class Pricing:
    """One resource to price.

    urn: the resource of its lines; `resource` may be one that it refers to, such as a launch template.
    part: name of the component it is shown under.
    duration_days: duration in days that the components request, None if none does.
    provider: price book file, e.g. `aws`; that of the resource's type unless a handler overrides it.
    guesses: collects assumptions of no single line; has no default, which would make a Pricing slow.
    """

    urn: str
    resource: Resource
    resources: Resources
    book: PriceBook
    assumptions: Assumptions
    part: str
    provider: str
    guesses: set[str]
    duration_days: Decimal | None = None

    @property
    def region(self) -> str:
        """The region of a resource: its own input, else the cloud's answer, its provider's, the configuration's, or the
        default to use. Raises CannotPrice if none is stated.
        """
        package, asked = self.resource.type.split(":", 1)[0], self.resource.inputs.get("region")
        answered = region_of_outputs(package, self.resource.outputs) if asked is None else None
        region = answered or self.resources.region(self.resource)
        if region is UNKNOWN:
            raise CannotPrice("its region is not known before the update")
        if isinstance(region, str) and region:
            return region
        taken = self.assumptions.regions.get(package)
        if taken is None:
            key = f"{package}:{region_key(package)}"
            raise CannotPrice(
                f"its region is not known: set {key} in the configuration or on the provider, or give --region"
            )
        self.guesses.add(f"region {taken[0]}: from {taken[1]}, for resources without a region of their own")
        return taken[0]

    def of(self, resource: Resource) -> Pricing:
        """The same view for a resource it refers to, e.g. the launch template of a node group."""
        return self._with(resource=resource)

    def on(self, provider: str) -> Pricing:
        """The same view with the prices of `provider`, for objects in a cluster of that cloud."""
        return self._with(provider=provider)

    def _with(self, **changed: Any) -> Pricing:
        """A copy, faster than `replace`: most machines and nodes make one or two."""
        found = object.__new__(Pricing)
        found.__dict__.update(self.__dict__, **changed)
        return found

    def get(self, *path: str | int) -> Any:
        """An input by path, None if absent. Raises CannotPrice if unknown."""
        value = read(self.resource.inputs, *path)
        if value is UNKNOWN:
            raise CannotPrice(f"{_dotted(path)} is not known before the update")
        return value

    def text(self, *path: str | int, default: str | None = None) -> str:
        """A text input. Raises CannotPrice if it is unknown, absent without a default, or not a text."""
        value = self.get(*path)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or not value:
            raise CannotPrice(f"{_dotted(path)} is {shown(value)}, expected text")
        return value

    def number(self, *path: str | int, default: int | None = None) -> Decimal:
        """A number of 0 or more. Raises CannotPrice if it is unknown, absent without a default, or not a number."""
        value = self.get(*path)
        if value is None and default is not None:
            return Decimal(default)
        return as_number(value, _dotted(path))

    def items(self, *path: str | int) -> Sequence[Any]:
        """A list input, empty if absent. Raises CannotPrice if it is unknown or not a list."""
        value = self.get(*path)
        if value is None:
            return ()
        if not is_list(value):
            raise CannotPrice(f"{_dotted(path)} is {shown(value)}, expected a list")
        return value

    def find(
        self, sku: str, unit: str, purchase: str = "on_demand", term: str = "", *, region: str | None = None
    ) -> Price | NotKnown:
        """The price of one unit; else a bounded stand-in, if one exists: a line at a stand-in counts as not priced."""
        return price_or_bound(self.book, self.provider, region or self.region, sku, purchase, term, unit=unit)

    def price(
        self, sku: str, unit: str, purchase: str = "on_demand", term: str = "", *, region: str | None = None
    ) -> Price:
        """The same. Raises CannotPrice, with the nearest known rows, if there is not even a bound."""
        found = self.find(sku, unit, purchase, term, region=region)
        if isinstance(found, NotKnown):
            raise CannotPrice(found.reason, found.row)
        return found

    def line(
        self,
        name: str,
        quantity: Decimal,
        price: Price,
        *,
        basis: str = "",
        assumption: str = "",
        floor: Decimal | None = None,
        ceiling: Decimal | Unbounded | None = None,
        usage: tuple[str, ...] = (),
        billed: Decimal = HOURS_PER_MONTH,
    ) -> CostLine:
        """A priced line of this resource; floor and ceiling are the quantity unless given."""
        row = price.row
        if not price.rankable:
            assumption = "; ".join(
                filter(None, [assumption, "approximate: only second opinions on this price are known"])
            )
        return CostLine(
            urn=self.urn,
            part=self.part,
            name=name,
            quantity=quantity,
            unit=row.unit,
            unit_price=row.usd_per_unit,
            region=row.region,
            purchase=row.purchase,
            term=row.term,
            source=row.document,
            as_of=row.as_of,
            confidence=price.confidence,
            basis=basis,
            assumption=assumption,
            floor=quantity if floor is None else floor,
            ceiling=quantity if ceiling is None else ceiling,
            rankable=price.rankable,
            list_price=price.list_usd,
            provider=row.provider,
            sku=row.sku,
            instead_of=price.instead_of,
            usage=usage,
            billed=billed,
            running=self.assumptions.hours_per_month if row.unit == "instance-hour" else HOURS_PER_MONTH,
        )

    def as_found(self, line: CostLine) -> CostLine | NotPriced:
        """The line; a line at a stand-in price becomes a NotPriced between two amounts."""
        unknown = line.instead_of
        if unknown is None or unknown.bound is None:
            return line
        least, most = (replace(line, unit_price=usd) for usd in (unknown.bound.least, unknown.bound.most))
        machines = line.unit == "instance-hour"
        between = Between(least, most, unknown.bound.rule)
        return NotPriced(self.urn, urn_type(self.urn), self.part, unknown.reason, machines, unknown.row, between)

    def by_usage(self, name: str, usage: str, price: Price, *, leaves: str = "") -> CostLine:
        """A line with the amount of `usage`, a name of `cost/rates/usage.csv`; `leaves`: what the total omits."""
        assumption = "; ".join(filter(None, [self.assumptions.text(usage), leaves]))
        return self.line(name, self.assumptions.amount(usage), price, assumption=assumption, usage=(usage,))

    def not_priced(self, reason: str | CannotPrice, *, compute: bool = False) -> NotPriced:
        """This resource, or a part of it, as not priced; `compute` if that part is machines."""
        own_row = reason.own_row if isinstance(reason, CannotPrice) else ""
        return NotPriced(self.urn, urn_type(self.urn), self.part, str(reason), compute, own_row)

    def free(self, why: str, source: str) -> Free:
        """This resource, free for a reason given in `source`."""
        return Free(self.urn, urn_type(self.urn), why, source)


def as_number(value: object, what: str) -> Decimal:
    """A finite number of 0 or more. Raises CannotPrice naming `what` otherwise."""
    try:
        return amount(value, what)
    except BadValue as error:
        raise CannotPrice(str(error)) from None


def _dotted(path: tuple[str | int, ...]) -> str:
    return ".".join(str(step) for step in path)
