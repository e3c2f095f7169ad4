"""What an estimate is made of: lines, free resources, resources without a price, and totals.

Money is `Decimal` in USD. A line's monthly amounts are rounded to the cent, half up, when the line is made; nothing is
rounded after that. So every sum (a part, the total) is the exact sum of the lines shown, and
`monthly == round(quantity x unit_price, 2)` holds for each line.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property
from typing import Final, Literal

from gpucluster.cost.prices import Confidence, NotKnown
from gpucluster.record import record

HOURS_PER_MONTH: Final = Decimal(730)
"""Hours in a month as the clouds' price pages count them: 8,760 hours a year / 12."""

DAY: Final = 24 / HOURS_PER_MONTH
"""A day, as a part of that month."""

CENT: Final = Decimal("0.01")

Unbounded = Literal["unbounded"]
UNBOUNDED: Final = "unbounded"

Spend = Literal["new", "committed-elsewhere"]
"""Whether a line is a new bill, or capacity that is billed elsewhere (a reservation named by id). Both count."""


def cents(amount: Decimal) -> Decimal:
    """The amount in whole cents, half a cent upwards, as bills round."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


@record
class Count:
    """A number of things that may be autoscaled: as expected, at the least, at the most."""

    expected: Decimal
    floor: Decimal
    ceiling: Decimal | Unbounded

    @classmethod
    def fixed(cls, number: Decimal) -> Count:
        """A number that does not change."""
        return cls(number, number, number)

    @property
    def varies(self) -> bool:
        """Whether the three differ."""
        return not (self.floor == self.expected == self.ceiling)

    def times(self, factor: Decimal) -> Count:
        """The count of something there are `factor` of per thing."""
        ceiling = self.ceiling if isinstance(self.ceiling, str) else self.ceiling * factor
        return Count(self.expected * factor, self.floor * factor, ceiling)


@record(kw_only=True)
class CostLine:
    """One priced thing of one resource.

    urn: the resource.
    part: the component around it that the line is shown under.
    name: what is billed, in the words of the bill.
    quantity: billing units a month; of autoscaled capacity what is expected to run.
    unit: billing unit, e.g. `instance-hour`.
    unit_price: USD per unit; 0 for what another line pays for (`paid_by`).
    basis: how the quantity is computed, e.g. `5 x 730 h`.
    region, purchase, term, source, as_of, confidence: of the price.
    assumption: what was taken for granted, empty when nothing was.
    floor, ceiling: units a month of autoscaled capacity at its least and most; the quantity otherwise.
    spend: `committed-elsewhere` marks capacity that is bought outside this stack and named by its id. It counts in
        every sum, as the amortised month of what it costs there.
    paid_by: the reservation or block that these machines run in, whose cost is another line or has no price; empty for
        what is paid for by this line.
    idle: units of the quantity that are paid for but unused here.
    upfront: the fee of a capacity block for the stated duration, paid before it starts; 0 otherwise.
    rankable: False when only second opinions on the price are known.
    list_price: USD per unit before a discount, None where there is none.
    provider, sku: price book file, and what is sold by its name there, e.g. `aws` and `p5.48xlarge`.
    instead_of: what is not known, where the price only stands for it. No estimate has such a line.
    usage: names of `cost/rates/usage.csv` that the quantity rests on.
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
    idle: Decimal = Decimal(0)
    upfront: Decimal = Decimal(0)
    rankable: bool = True
    provider: str = ""
    sku: str = ""
    instead_of: NotKnown | None = None
    usage: tuple[str, ...] = ()
    list_price: Decimal | None = None

    @cached_property
    def monthly(self) -> Decimal:
        """USD a month, to the cent."""
        return cents(self.quantity * self.unit_price)

    @property
    def in_region(self) -> str:
        """The region of the price, without the zone of one that holds in a zone alone."""
        return self.region.partition("/")[0]

    @property
    def listed(self) -> Decimal:
        """USD a month at the list price, to the cent."""
        return self.monthly if self.list_price is None else self.listed_at(self.quantity)

    def listed_at(self, quantity: Decimal) -> Decimal:
        """USD a month of another quantity at the list price, to the cent."""
        return cents(quantity * (self.unit_price if self.list_price is None else self.list_price))

    @cached_property
    def monthly_floor(self) -> Decimal:
        """USD a month at the least, to the cent."""
        return cents(self.floor * self.unit_price)

    @cached_property
    def monthly_ceiling(self) -> Decimal | Unbounded:
        """USD a month at the most, to the cent."""
        return self.ceiling if isinstance(self.ceiling, str) else cents(self.ceiling * self.unit_price)

    @property
    def autoscaled(self) -> bool:
        """Whether floor, expected and ceiling differ."""
        return not (self.floor == self.quantity == self.ceiling)

    @property
    def shown(self) -> bool:
        """Whether it is more than a rate: there is some of it, or may be by autoscaling."""
        return bool(self.quantity) or self.autoscaled or bool(self.paid_by)

    @property
    def by_usage(self) -> bool:
        """Whether it depends on usage that is taken as zero: its price is known, its amount is not."""
        return bool(self.usage) and not self.shown


def committed_sum(lines: Iterable[CostLine]) -> Decimal:
    """USD a month of the lines whose capacity is bought elsewhere; it is part of the sum of the lines."""
    return sum((line.monthly for line in lines if line.spend == "committed-elsewhere"), Decimal(0))


@record
class Free:
    """A resource that costs nothing by itself, and where that is said."""

    urn: str
    type: str
    why: str
    source: str


@record
class Between:
    """The line that something without a price would be, at the least and at the most of its bound, and by what rule."""

    least: CostLine
    most: CostLine
    rule: str


@record
class NotPriced:
    """A resource, or a part of one, whose price is not known. Never zero, and in no total.

    compute: whether what is missing is machines, which are most of any bill here.
    own_row: where a price is missing, what a row of the user's own for it begins with, in the order of `OWN_ROW`.
    between: what it costs at the least and at the most; None where nothing says so, for the reason alone.
    """

    urn: str
    type: str
    part: str
    reason: str
    compute: bool = False
    own_row: str = ""
    between: Between | None = None


@record
class Amounts:
    """USD a month: at the least, as expected, and at the most."""

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


@record
class Part:
    """The lines of one component and their sum.

    training: False for parts that do not count into the price of a training GPU-hour.
    """

    name: str
    lines: tuple[CostLine, ...]
    training: bool = True

    @cached_property
    def monthly(self) -> Amounts:
        """The sum of the part's lines."""
        return Amounts.of(self.lines)
