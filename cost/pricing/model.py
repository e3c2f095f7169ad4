"""The data of an estimate: lines, free resources, unpriced resources and totals.

Money is `Decimal` in USD. A line's monthly amounts are rounded to the cent, half up, when the line is created;
nothing is rounded later. So every sum (a part, the total) is the exact sum of the lines shown, and
`monthly == round(quantity x unit_price, 2)` holds for each line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from typing import Final, Literal

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost.prices import Confidence, NotKnown

HOURS_PER_MONTH: Final = Decimal(730)
"""Hours in a month as the clouds' price pages count them: 8,760 hours a year / 12."""

DAY: Final = 24 / HOURS_PER_MONTH
"""A day as a fraction of that month."""

CENT: Final = Decimal("0.01")

Unbounded = Literal["unbounded"]
UNBOUNDED: Final = "unbounded"

Spend = Literal["new", "committed-elsewhere"]
"""Whether a line is new spend, or capacity billed outside the stack (a reservation by its id). Both count in totals."""


def cents(amount: Decimal) -> Decimal:
    """The amount in whole cents, rounded half up as on bills."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


@dataclass(frozen=True)
class Count:
    """A number of items that may be autoscaled: expected, minimum and maximum."""

    expected: Decimal
    floor: Decimal
    ceiling: Decimal | Unbounded

    @classmethod
    def fixed(cls, number: Decimal) -> Count:
        """A fixed number."""
        return cls(number, number, number)

    @property
    def varies(self) -> bool:
        """Whether the three differ."""
        return not (self.floor == self.expected == self.ceiling)

    def times(self, factor: Decimal) -> Count:
        """The count multiplied by `factor`, a number per counted item."""
        ceiling = self.ceiling if isinstance(self.ceiling, str) else self.ceiling * factor
        return Count(self.expected * factor, self.floor * factor, ceiling)


@dataclass(frozen=True, kw_only=True)
class CostLine:
    """One priced item of one resource.

    urn: the resource.
    part: the component that the line is shown under.
    name: the billed item, as the bill names it.
    quantity: billing units per month; for autoscaled capacity the expected number.
    unit: billing unit, e.g. `instance-hour`.
    unit_price: USD per unit; 0 if another line pays for it (`paid_by`).
    basis: how the quantity is computed, e.g. `5 x 730 h`.
    region, purchase, term, source, as_of, confidence: of the price.
    assumption: the assumption behind it, empty without one.
    floor, ceiling: minimum and maximum units per month of autoscaled capacity; otherwise the quantity.
    spend: `committed-elsewhere` marks capacity that is bought outside this stack and named by its id. It counts in
        every sum, with its amortised monthly cost.
    paid_by: the reservation or block that these machines run in, whose cost is another line or has no price; empty if
        this line pays.
    reservation: the id of the reservation or block outside the stack that this line pays for; empty without one.
    idle: units of the quantity that are paid for but unused here.
    upfront: the fee of a capacity block for the stated duration, paid before it starts; 0 otherwise.
    rankable: False if only second opinions on the price are known.
    list_price: USD per unit before a discount, None without a discount.
    billed: hours per month that each machine of a line of machines is billed.
    running: hours per month that each of them runs, fewer than billed if a commitment or reservation bills idle hours.
    provider, sku: price book file and the item's name in it, e.g. `aws` and `p5.48xlarge`.
    instead_of: the unknown price that this one stands in for. No estimate contains such a line.
    usage: names of `cost/rates/usage.csv` that the quantity depends on.
    """

    urn: str
    part: str
    name: str
    quantity: Decimal
    unit: str
    unit_price: Decimal
    region: str
    purchase: str
    source: str
    as_of: str
    confidence: Confidence
    term: str = ""
    basis: str = ""
    assumption: str = ""
    floor: Decimal
    ceiling: Decimal | Unbounded
    spend: Spend = "new"
    paid_by: str = ""
    reservation: str = ""
    idle: Decimal = Decimal(0)
    upfront: Decimal = Decimal(0)
    rankable: bool = True
    provider: str = ""
    sku: str = ""
    instead_of: NotKnown | None = None
    usage: tuple[str, ...] = ()
    list_price: Decimal | None = None
    billed: Decimal = HOURS_PER_MONTH
    running: Decimal = HOURS_PER_MONTH

    @cached_property
    def monthly(self) -> Decimal:
        """USD per month, to the cent."""
        return cents(self.quantity * self.unit_price)

    @property
    def machines(self) -> Decimal:
        """Machines of a line of machines; 0 if they are never billed."""
        return self.machines_of(self.quantity)

    def machines_of(self, quantity: Decimal) -> Decimal:
        """Machines of another quantity of a line of machines."""
        return quantity / self.billed if self.billed else Decimal(0)

    @property
    def in_region(self) -> str:
        """The region of the price, without the zone of a zonal price."""
        return self.region.partition("/")[0]

    @property
    def list_unit_price(self) -> Decimal:
        """USD per unit before a discount."""
        return self.unit_price if self.list_price is None else self.list_price

    @property
    def listed(self) -> Decimal:
        """USD per month at the list price, to the cent."""
        return self.monthly if self.list_price is None else self.listed_at(self.quantity)

    def listed_at(self, quantity: Decimal) -> Decimal:
        """USD per month of another quantity at the list price, to the cent."""
        return cents(quantity * self.list_unit_price)

    @cached_property
    def monthly_floor(self) -> Decimal:
        """Minimum USD per month, to the cent."""
        return cents(self.floor * self.unit_price)

    @cached_property
    def monthly_ceiling(self) -> Decimal | Unbounded:
        """Maximum USD per month, to the cent."""
        return self.ceiling if isinstance(self.ceiling, str) else cents(self.ceiling * self.unit_price)

    @property
    def autoscaled(self) -> bool:
        """Whether floor, expected and ceiling differ."""
        return not (self.floor == self.quantity == self.ceiling)

    @property
    def shown(self) -> bool:
        """Whether it has an amount, now or by autoscaling, and is not only a rate."""
        return bool(self.quantity) or self.autoscaled or bool(self.paid_by)

    @property
    def by_usage(self) -> bool:
        """Whether it depends on usage assumed to be zero: the price is known, the amount is not."""
        return bool(self.usage) and not self.shown


def committed_sum(lines: Iterable[CostLine]) -> Decimal:
    """USD per month of lines whose capacity is bought outside the stack; included in the sum of the lines."""
    return sum((line.monthly for line in lines if line.spend == "committed-elsewhere"), Decimal(0))


@dataclass(frozen=True)
class Free:
    """A resource without a separate charge, and the source for that."""

    urn: str
    type: str
    why: str
    source: str


@dataclass(frozen=True)
class Between:
    """An unpriced item as a line at the lower and at the upper bound, and the rule of the bound."""

    least: CostLine
    most: CostLine
    rule: str


@dataclass(frozen=True)
class NotPriced:
    """A resource, or a part of one, with an unknown price. Never zero, and in no total.

    compute: whether it is machines, which are most of any bill here.
    own_row: for a missing price, the beginning of the user's price row for it, in the order of `OWN_ROW`.
    between: its bounds; None if nothing bounds it, so that only the reason is shown.
    """

    urn: str
    type: str
    part: str
    reason: str
    compute: bool = False
    own_row: str = ""
    between: Between | None = None


@dataclass(frozen=True)
class NotConsidered:
    """Inputs of a type that the amounts do not depend on, though nothing says that they never cost."""

    type: str
    inputs: tuple[str, ...]


@dataclass(frozen=True)
class Amounts:
    """USD per month: minimum, expected and maximum."""

    floor: Decimal = Decimal(0)
    expected: Decimal = Decimal(0)
    ceiling: Decimal | Unbounded = Decimal(0)

    @classmethod
    def of(cls, lines: Iterable[CostLine]) -> Amounts:
        """The sum of lines."""
        floor = expected = most = Decimal(0)
        bounded = True
        for line in lines:
            monthly = line.monthly
            expected += monthly
            if not line.autoscaled:
                floor += monthly
                most += monthly
                continue
            floor += line.monthly_floor
            ceiling = line.monthly_ceiling
            if isinstance(ceiling, str):
                bounded = False
            else:
                most += ceiling
        return cls(floor, expected, most if bounded else UNBOUNDED)

    @property
    def varies(self) -> bool:
        """Whether the three differ."""
        return not (self.floor == self.expected == self.ceiling)


@dataclass(frozen=True)
class Part:
    """The lines of one component and their sum.

    training: False for parts excluded from the price of a training GPU-hour.
    """

    name: str
    lines: tuple[CostLine, ...]
    training: bool = True

    @cached_property
    def monthly(self) -> Amounts:
        """The sum of the part's lines."""
        return Amounts.of(self.lines)


STACK_PART: Final = "stack"
"""Part of the resources outside every component."""

_STACK_TYPE: Final = "pulumi:pulumi:Stack"


class Parts:
    """Groups lines by the nearest component around their resource."""

    def __init__(self, resources: Resources, outside: frozenset[str]) -> None:
        self._resources = resources
        self._outside = outside
        self._lines: dict[tuple[str, bool], list[CostLine]] = {}
        self._places: dict[str | None, tuple[str, list[CostLine]]] = {}

    def place(self, resource: Resource) -> tuple[str, list[CostLine]]:
        """(name of a resource's part, the part's lines); computed once for all children of a parent."""
        found = self._places.get(resource.parent)
        if found is None:
            around = [
                parent
                for parent in self._resources.parents(resource)
                if not parent.custom and parent.type != _STACK_TYPE
            ]
            name = around[0].name if around else STACK_PART
            training = not any(component.name in self._outside for component in around)
            found = self._places[resource.parent] = name, self._lines.setdefault((name, training), [])
        return found

    def urns(self) -> set[str]:
        """The resources with a line."""
        return {line.urn for lines in self._lines.values() for line in lines}

    @property
    def elastic(self) -> frozenset[str]:
        """The non-training parts, with or without lines."""
        return frozenset(name for name, training in self._lines if not training)

    def done(self) -> tuple[Part, ...]:
        """The parts with lines, most expensive first, so that the order does not depend on that of the resources."""
        parts: list[tuple[Decimal, str, Part]] = []
        for (name, training), lines in self._lines.items():
            if lines:
                ordered, total = _dearest_first(lines)
                parts.append((-total, name, Part(name, ordered, training)))
        return tuple(part for _, _, part in sorted(parts, key=lambda item: item[:2]))


def _dearest_first(lines: Sequence[CostLine]) -> tuple[tuple[CostLine, ...], Decimal]:
    """(lines, most expensive resource first, those of one resource in the order of its handler; their sum)."""
    sums: dict[str, Decimal] = {}
    for line in lines:
        sums[line.urn] = sums.get(line.urn, Decimal(0)) + line.monthly
    return tuple(sorted(lines, key=lambda line: (-sums[line.urn], line.urn))), sum(sums.values(), Decimal(0))
