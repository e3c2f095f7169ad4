"""Bounds of an unknown price, from known prices of the same cloud and purchase option.

Between most items of a cloud the ratio of two prices hardly differs by region. So the price of one item in a region,
and the ratio of the two in other regions, bound the price of the other. `python -m tools.prices.widths` hides each
price of the book in turn, and measures how wide the bounds are and how many contain it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Final

from gpucluster.cost.prices.families import Family, family_of
from gpucluster.cost.prices.row import PriceRow

MACHINE: Final = "instance-hour"
"""Unit of machines."""

_ALIKE: Final = Decimal("1.02")
"""Factor by which the ratio of two sizes of a machine may be outside that of other regions."""
_TIERS: Final = Decimal("1.1")
"""The same for tiers and sizes of other items."""
_ENOUGH: Final = 3
_FEW: Final = Decimal("1.1")
"""Number of regions below which the ratio of two prices may be outside theirs by this factor more."""
_APART: Final = {1: Decimal(2)}
"""Number of known regions -> factor by which the true price may be below the lowest or above the highest of them."""
_APART_ELSE: Final = Decimal("1.5")
_APART_HERE: Final = Decimal("1.1")
"""The same for other tiers or sizes in the same region."""

_DOWN: Final = Context(prec=6, rounding=ROUND_FLOOR)
_UP: Final = Context(prec=6, rounding=ROUND_CEILING)
"""Significant digits of a bound, never rounded inwards."""

_MOST_OFF: Final[Mapping[tuple[str, str], tuple[Decimal, str]]] = {
    ("aws", "savings_plan"): (Decimal("0.66"), "Compute Savings Plans save up to 66% (AWS)"),
    ("aws", "instance_savings_plan"): (Decimal("0.72"), "EC2 Instance Savings Plans save up to 72% (AWS)"),
    ("aws", "reserved"): (Decimal("0.72"), "Reserved Instances save up to 72% (AWS)"),
    ("aws", "spot"): (Decimal("0.9"), "Spot Instances save up to 90% (AWS)"),
    ("azure", "savings_plan"): (Decimal("0.65"), "savings plans save up to 65% (Microsoft)"),
    ("azure", "reserved"): (Decimal("0.72"), "reservations save up to 72% (Microsoft)"),
    ("azure", "spot"): (Decimal("0.9"), "Spot VMs save up to 90% (Microsoft)"),
    ("gcp", "reserved"): (Decimal("0.7"), "commitments save up to 70% (Google)"),
    ("gcp", "spot"): (Decimal("0.91"), "Spot VMs save up to 91% (Google)"),
}  # fmt: skip
"""(cloud, purchase) -> the largest discount on the on-demand price that the cloud states, and the statement.

AWS: aws.amazon.com/savingsplans/faqs and aws.amazon.com/ec2/spot, as cloudburn.io (2026-01-23) and prosperops.com
(2025-06) quote them. Microsoft: azure.microsoft.com, pages of reservations, savings plans and Spot Virtual Machines,
as lucidity.cloud and surfercloud.com quote them (read 2026-11-28). Google: docs.cloud.google.com, "Create and use Spot
VMs" (read 2026-11-28), and committed use discounts: 55 % for most resources, 70 % for memory-optimized machines, as
cloud.lalitwrites.com quotes them (read 2026-11-28). The larger one counts, as A2 machines have 65 % in the book.
"""


@dataclass(frozen=True)
class Bound:
    """Lower and upper bound of one unit's cost in USD; not a price, and in no total.

    rule: its derivation, with the prices used. as_of: the date of the oldest of them.
    """

    least: Decimal
    most: Decimal
    rule: str
    as_of: str

    @property
    def width(self) -> Decimal:
        """Upper bound divided by lower bound."""
        return self.most / self.least


Regions = Mapping[str, PriceRow]
"""The prices of one item by region, for one unit, purchase option and term."""


def by_region(rows: Iterable[PriceRow]) -> Regions:
    """The price of each region: of a graduated one the first tier, as lines do. Second opinions count only if there is
    nothing else, prices of single zones and free tiers never.
    """
    whole = [row for row in rows if not row.zone and row.tier < 2 and row.usd_per_unit]
    found: dict[str, PriceRow] = {}
    for row in [row for row in whole if not row.alt] or whole:
        found.setdefault(row.region, row)
    return found


def bound_by_ratio(region: str, wanted: Regions, other: Regions, *, least: int = 1, apart: Decimal | None = None) -> (
    Bound | None
):  # fmt: skip
    """The bound from the price of another item in the region, and the ratio of the two in other regions.

    least: required number of these regions. apart: factor by which the ratio may be outside those known; default: that
    of sizes.
    """
    here = other.get(region)
    both = [name for name in wanted if name in other and name != region]
    if here is None or len(both) < least:
        return None
    ratios = {name: wanted[name].usd_per_unit / other[name].usd_per_unit for name in both}
    low, high = (pick(ratios, key=lambda name: (ratios[name], name)) for pick in (min, max))
    apart = apart or (_ALIKE if here.unit == MACHINE else _TIERS)
    apart *= 1 if len(both) >= _ENOUGH else _FEW
    times = " to ".join(dict.fromkeys(f"{ratios[name]:.4g}" for name in (low, high)))
    what = f"{here.sku}{'' if here.purchase == wanted[low].purchase else ' on demand'}"
    known = f"by {what}, {_usd(here)} in {region}, times {times} as in {_regions(len(both))}"
    rows = (here, wanted[low], other[low], wanted[high], other[high])
    return _apart(here.usd_per_unit * ratios[low], here.usd_per_unit * ratios[high], apart, known, rows)


def bound_by_size(thing: Family, others: Iterable[PriceRow], *, alike: bool) -> Bound | None:
    """The narrowest bound from other sizes of a machine in the same region: in proportion to GPUs, or to vCPUs without
    them. Where GPUs and vCPUs are not in proportion, between the two.

    alike: whether their prices are in proportion; those of spot are set for each size.
    """
    found: list[Bound] = []
    for row in others:
        other = family_of(row.sku)
        if other is None or other.name != thing.name:
            continue
        ratios = thing.proportions(other)
        low, high = min(ratios), max(ratios)
        apart = (_ALIKE if low == high else _APART_HERE) if alike else _APART_ELSE
        rule = f"by size from {row.sku} {_usd(row)} in {row.region}"
        found.append(_apart(row.usd_per_unit * low, row.usd_per_unit * high, apart, rule, (row,)))
    return min(found, key=lambda one: (one.width, one.rule), default=None)


def bound_of(rows: Sequence[PriceRow]) -> Bound | None:
    """The bound from prices in other regions: `rows` of one SKU, unit, purchase option and term; None without any."""
    used = by_region(rows)
    if not used:
        return None
    low, high = (pick(used.values(), key=lambda row: (row.usd_per_unit, row.region)) for pick in (min, max))
    known = f"{low.region} {_usd(low)}" if low.usd_per_unit == high.usd_per_unit else (
        f"{low.region} {_usd(low)} to {high.region} {_usd(high)}"
    )  # fmt: skip
    return _apart(low.usd_per_unit, high.usd_per_unit, _factor(used), f"by {_regions(len(used))}, {known}", (low, high))


@dataclass(frozen=True)
class _SiblingBounds:
    """Bounds of a price that follow from a sibling. ratio: of the larger size to the smaller."""

    row: PriceRow
    ratio: Decimal
    least: Decimal
    most: Decimal


def bound_by_siblings(thing: Family, region: str, rows: Sequence[PriceRow]) -> Bound | None:
    """The bound from an item's siblings: `rows` of its family, one unit, purchase option and term; None without any.

    In each region the nearest smaller and larger sibling count, the tightest bound; then the widest of the regions.
    """
    here = [row for row in rows if row.region == region]
    siblings: dict[str, list[_SiblingBounds]] = {}
    for row in here or rows:
        if one := _sibling_bounds(thing, row):
            siblings.setdefault(row.region, []).append(one)
    if not siblings:
        return None
    low = min(
        (max(ones, key=lambda one: (one.least, -one.ratio)) for ones in siblings.values()), key=lambda one: one.least
    )
    high = max(
        (min(ones, key=lambda one: (one.most, one.ratio)) for ones in siblings.values()), key=lambda one: one.most
    )
    rule = " and ".join(dict.fromkeys(f"{one.row.sku} {_usd(one.row)} in {one.row.region}" for one in (low, high)))
    least, most = sorted((low.least, high.most))
    apart = _APART_HERE if here else _factor(siblings.keys())
    return _apart(least, most, apart, f"by size from {rule}", (low.row, high.row))


def _sibling_bounds(thing: Family, row: PriceRow) -> _SiblingBounds | None:
    """The bounds from one sibling: a larger size costs at least as much, and at most in proportion to its size."""
    other = family_of(row.sku)
    if other is None or other.name != thing.name:
        return None
    if ratio := thing.ratio(other):
        return _SiblingBounds(row, ratio, row.usd_per_unit, row.usd_per_unit * ratio)
    if ratio := other.ratio(thing):
        return _SiblingBounds(row, ratio, row.usd_per_unit / ratio, row.usd_per_unit)
    return None


def within_on_demand(provider: str, purchase: str, on_demand: Bound, item: str, bound: Bound | None) -> Bound | None:
    """`bound`, if any, cut to at most the price on demand, and to at least that less the largest discount which the
    cloud states; None if there is neither.

    on_demand: the price on demand in the same region, as a bound; both ends are the price if it is known. item: its
    description.
    """
    stated = _MOST_OFF.get((provider, purchase))
    if stated is None:
        return bound
    share, words = stated
    floor, cap = _DOWN.multiply(on_demand.least, 1 - share), on_demand.most
    if bound is not None and (bound.least > cap or bound.most < floor):
        bound = None  # the two contradict each other
    least = floor if bound is None else max(bound.least, floor)
    most = cap if bound is None else min(bound.most, cap)
    rules, what = [] if bound is None else [bound.rule], item
    if bound is None or bound.most > cap:
        rules.append(f"at most {item}")
        what = "it"
    if bound is None or bound.least < floor:
        of = what if on_demand.least == cap else f"the lower bound of {what}"
        rules.append(f"at least {1 - share:.0%} of {of}, as {words}")
    dates = [on_demand.as_of] if bound is None else [bound.as_of, *([on_demand.as_of] if len(rules) > 1 else [])]
    return Bound(least, most, "; ".join(rules), min(dates))


def _factor(regions: Collection[str]) -> Decimal:
    return _APART.get(len(regions), _APART_ELSE)


def _regions(number: int) -> str:
    return "1 other region" if number == 1 else f"{number} other regions"


def _apart(low: Decimal, high: Decimal, apart: Decimal, rule: str, rows: Iterable[PriceRow]) -> Bound:
    return Bound(
        _DOWN.divide(low, apart),
        _UP.multiply(high, apart),
        f"{rule}, divided and multiplied by {apart}",
        min(row.as_of for row in rows),
    )


def _usd(row: PriceRow) -> str:
    return f"${row.usd_per_unit.normalize():f}"
