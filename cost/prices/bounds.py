"""Items sold in sizes, by their names: machines of a family, tiers of a file system, disks.

Within such a family a larger size costs at least as much, and at most the smaller one's price times the ratio of the
sizes. So the prices of siblings bound an unknown one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import cache
from typing import Final

from gpucluster.core.catalog.azure_regions import DISK_GIB
from gpucluster.core.catalog.machines import machines
from gpucluster.cost.prices.row import PriceRow

_Sizes = tuple[Decimal, ...]

_WORDS: Final = ("nano", "micro", "small", "medium", "large", "xlarge")
"""Size names, each twice the previous one (EC2 user guide, instance types)."""

_GPUS: Final[Mapping[str, int]] = {"12xlarge": 4, "24xlarge": 4, "48xlarge": 8}
"""GPUs of the sizes of g4dn, g5 and g6e (meta-pytorch/torchx: torchx/specs/named_resources_aws.py), and of g6, which
has the sizes of g6e; the other sizes have one GPU.
"""


def _of_number(size: str) -> _Sizes:
    return (Decimal(size),)


def _of_word(size: str) -> _Sizes:
    many = size.removesuffix("xlarge")
    return (Decimal(32 * int(many)) if many.isdigit() else Decimal(2 ** _WORDS.index(size)),)


def _of_word_with_gpus(size: str) -> _Sizes:
    return (*_of_word(size), Decimal(_GPUS.get(size, 1)))


def _of_plan(size: str) -> _Sizes:
    """Each App Service plan has twice the cores of the previous one."""
    return (Decimal(2 ** int(size)),)


def _of_disk(size: str) -> _Sizes:
    return (Decimal(DISK_GIB.get(int(size), 0)),)


_WORD: Final = rf"{'|'.join(_WORDS)}|\d+xlarge"
_FORMS: Final[tuple[tuple[str, Callable[[str], _Sizes]], ...]] = (
    (rf"(g4dn\.|g5\.|g6e?\.)({_WORD})()", _of_word_with_gpus),
    (rf"(?!(?:g|p|f|inf|trn|dl|vt)\d|redis-cluster)(.+[._-])({_WORD})((?:-multi-az)?)", _of_word),
    (r"(.*standard_[de])(\d+)([a-z]*_v[3-9])", _of_number),
    (r"(.*standard_f)(\d+)(s_v2)", _of_number),
    (r"(?![ag]\d-)(\w+-(?:standard|highmem|highcpu)-)(\d+)()", _of_number),
    (r"(managed-lustre-|fsx-lustre-persistent\d-ssd-|AMLFS-Durable-Premium-)(\d+)()", _of_number),
    (r"(sql-database-\w+_gen5_)(\d+)()", _of_number),
    (r"(app-service-\w+-[bsp])([0-3])((?:v\d)?)", _of_plan),
    (r"(managed-disk-[EPS])(\d+)(-[lz]rs)", _of_disk),
)
"""Patterns of size names: before, size, after. Machines listed in the machine table have their sizes there. Compiled
when a price is first missing, as few programs need them.
"""


@dataclass(frozen=True)
class Family:
    """name: shared by siblings. sizes: one number for each measure, such as vCPUs and GPUs."""

    name: str
    sizes: _Sizes

    def ratio(self, smaller: Family) -> Decimal | None:
        """Largest ratio of its sizes to those of `smaller`; None if any measure is smaller, or all are equal."""
        ratios = [size / its for size, its in zip(self.sizes, smaller.sizes, strict=True)]
        return max(ratios) if min(ratios) >= 1 and max(ratios) > 1 else None


@cache
def family_of(sku: str) -> Family | None:
    """The family of an item, None if its name indicates none."""
    family = _family_of(sku)
    return family if family is not None and all(family.sizes) else None  # 0 is an invalid size


def _family_of(sku: str) -> Family | None:
    if machine := machines().get(sku):
        return Family(re.sub(r"\d+(?=xlarge$|g$)", "*", sku), (Decimal(machine.vcpus), Decimal(machine.gpus)))
    for form, sizes in _FORMS:
        if found := re.fullmatch(form, sku, re.IGNORECASE):
            before, name, after = found.groups()
            return Family(f"{before}*{after}", sizes(name.lower()))
    return None


def in_family(family: Family, sku: str) -> bool:
    """Whether an item belongs to a family."""
    other = family_of(sku)
    return other is not None and other.name == family.name


_APART: Final = {1: Decimal(2)}
"""Number of known regions -> factor by which the true price may be below the lowest or above the highest of them."""
_APART_ELSE: Final = Decimal("1.5")
_APART_HERE: Final = Decimal("1.1")
"""The same for siblings in the same region."""

_DOWN: Final = Context(prec=6, rounding=ROUND_FLOOR)
_UP: Final = Context(prec=6, rounding=ROUND_CEILING)
"""Significant digits of a bound, never rounded inwards."""


@dataclass(frozen=True)
class Bound:
    """Lower and upper bound of one unit's cost in USD; not a price, and in no total.

    rule: its derivation, with the two prices used. as_of: the date of the older of them.
    """

    least: Decimal
    most: Decimal
    rule: str
    as_of: str


@dataclass(frozen=True)
class _SiblingBounds:
    """Bounds of a price that follow from a sibling. ratio: of the larger size to the smaller."""

    row: PriceRow
    ratio: Decimal
    least: Decimal
    most: Decimal


def bound_of(rows: Sequence[PriceRow]) -> Bound | None:
    """The bound from prices in other regions: `rows` of one SKU, unit, purchase option and term; None without any.

    Second opinions count only if there is nothing else; graduated prices count with the first tier, as lines do; prices
    of single zones never count.
    """
    used = _telling(rows)
    if not used:
        return None
    low, high = (pick(used, key=lambda row: (row.usd_per_unit, row.region)) for pick in (min, max))
    regions = {row.region for row in used}
    known = f"{low.region} {_usd(low)}" if low.usd_per_unit == high.usd_per_unit else (
        f"{low.region} {_usd(low)} to {high.region} {_usd(high)}"
    )  # fmt: skip
    where = "1 other region" if len(regions) == 1 else f"{len(regions)} other regions"
    return _apart(low.usd_per_unit, high.usd_per_unit, _factor(regions), f"by {where}, {known}", (low, high))


def bound_by_siblings(sku: str, region: str, rows: Sequence[PriceRow]) -> Bound | None:
    """The bound from an item's siblings: `rows` of its family, one unit, purchase option and term; None without any.

    In each region the nearest smaller and larger sibling count, the tightest bound; then the widest of the regions.
    """
    thing, used = family_of(sku), _telling(rows)
    here = [row for row in used if row.region == region]
    siblings: dict[str, list[_SiblingBounds]] = {}
    for row in here or used:
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


def _sibling_bounds(thing: Family | None, row: PriceRow) -> _SiblingBounds | None:
    """The bounds from one sibling: a larger size costs at least as much, and at most in proportion to its size."""
    other = family_of(row.sku)
    if thing is None or other is None or other.name != thing.name:
        return None
    if ratio := thing.ratio(other):
        return _SiblingBounds(row, ratio, row.usd_per_unit, row.usd_per_unit * ratio)
    if ratio := other.ratio(thing):
        return _SiblingBounds(row, ratio, row.usd_per_unit / ratio, row.usd_per_unit)
    return None


def _telling(rows: Sequence[PriceRow]) -> list[PriceRow]:
    whole = [row for row in rows if not row.zone and row.tier < 2]
    return [row for row in whole if not row.alt] or whole


def _factor(regions: Collection[str]) -> Decimal:
    return _APART.get(len(regions), _APART_ELSE)


def _apart(low: Decimal, high: Decimal, apart: Decimal, rule: str, rows: tuple[PriceRow, PriceRow]) -> Bound:
    return Bound(
        _DOWN.divide(low, apart),
        _UP.multiply(high, apart),
        f"{rule}, divided and multiplied by {apart}",
        min(row.as_of for row in rows),
    )


def no_more_than(cap: Decimal, item: str, as_of: str, bound: Bound | None) -> Bound:
    """`bound`, if any, with upper bound `cap`; from 0 if nothing below `cap` is known.

    item: the item that costs `cap`. as_of: the date of that price.
    """
    if bound is None or bound.least > cap:
        return Bound(Decimal(0), cap, f"at most {item}", as_of)
    if bound.most <= cap:
        return bound
    return replace(bound, most=cap, rule=f"{bound.rule}; at most {item}", as_of=min(bound.as_of, as_of))


def _usd(row: PriceRow) -> str:
    return f"${row.usd_per_unit.normalize():f}"
