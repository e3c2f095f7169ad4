"""Prices resources by the rates of their type's table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from gpucluster.catalog.rows import Row
from gpucluster.cost.cloud_parts import part_of
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.rate import Condition, Rate, rate_of
from gpucluster.cost.model import CostLine, Free, NotPriced
from gpucluster.cost.pricing import Pricing
from gpucluster.cost.rates import rows_of


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
    """What keeps the nearest rate from applying: inputs as the resource has them, and what they may be."""
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
