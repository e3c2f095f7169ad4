"""Learns from a bill: usage that no plan contains, and the prices paid."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from gpucluster.core.program.resources import Resources, urn_name
from gpucluster.cost.bills.planned import Planned
from gpucluster.cost.bills.reconciliation import Reconciled, Row
from gpucluster.cost.estimate.estimate import Estimate, estimate
from gpucluster.cost.estimate.usage import relevant_usage
from gpucluster.cost.prices import OWN_ROW, PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions, Exceptions, fault_of

_NEAR: Final = Decimal("0.000001")
"""Quantities or prices with a smaller relative difference are equal: bills round."""
_PLACES: Final = Decimal("0.000000000001")

_Usage = dict[str, dict[str, Decimal]]
_Thing = tuple[str, str, str, str, str]


@dataclass(frozen=True, kw_only=True)
class DerivedUsage:
    """usage: URN -> name -> amount per month. prices: scope of a price -> USD per unit. not_learned: lines whose
    quantity no user setting determines.
    """

    usage: Mapping[str, Mapping[str, Decimal]]
    prices: Mapping[_Thing, Decimal]
    not_learned: tuple[Planned, ...]


def derive_usage(found: Reconciled, resources: Resources, book: PriceBook, assumptions: Assumptions) -> DerivedUsage:
    """The usage and prices with which the estimate matches the bill, as far as such settings exist."""
    wanted = {_same(row.line): row for row in found.rows if _other_quantity(row)}
    usage: _Usage = {}
    if wanted:
        asked = relevant_usage(resources, book, assumptions)
        now = _quantities(estimate(resources, book, assumptions))
        for name in dict.fromkeys(name for urn in {key[0] for key in wanted} for name in asked.get(urn, ())):
            _try(name, wanted, now, usage, resources, book, assumptions)
    left = [row.line for row in wanted.values()]
    return DerivedUsage(usage=usage, prices=dict(_prices(found.rows)), not_learned=tuple(left))


def _same(line: Planned) -> _Thing:
    return line.urn, line.sku, line.unit, line.purchase, line.term


def _other_quantity(row: Row) -> bool:
    if not row.charges or row.quantity is None or row.line.quantity is None or not row.months:
        return False
    month = row.quantity / row.months
    return abs(month - row.line.quantity) > _NEAR * max(month, row.line.quantity)


def _quantities(found: Estimate) -> dict[_Thing, Decimal]:
    return {(line.urn, line.sku, line.unit, line.purchase, line.term): line.quantity for line in found.lines}


def _try(
    name: str,
    wanted: dict[_Thing, Row],
    now: Mapping[_Thing, Decimal],
    usage: _Usage,
    resources: Resources,
    book: PriceBook,
    assumptions: Assumptions,
) -> None:
    """Sets `name` for each resource where it moves a line to the billed quantity; such lines need nothing more."""
    before = assumptions.amount(name)
    other = before * Decimal("0.9") if before else Decimal(1)
    urns = {key[0] for key in wanted}
    moved = _quantities(estimate(resources, book, with_usage(assumptions, {urn: {name: other} for urn in urns})))
    for key, row in sorted(wanted.items(), key=lambda item: -item[1].cost):
        slope = moved.get(key, now.get(key, Decimal(0))) - now.get(key, Decimal(0))
        if not slope or name in usage.get(key[0], {}) or row.quantity is None:
            continue
        value = before + (row.quantity / row.months - now[key]) * (other - before) / slope
        value = value.quantize(_PLACES).normalize()
        if not fault_of(name, f"{value:f}"):
            usage.setdefault(key[0], {})[name] = value
            del wanted[key]


def with_usage(assumptions: Assumptions, usage: Mapping[str, Mapping[str, Decimal]]) -> Assumptions:
    """A copy of the assumptions with some set for single resources, by URN."""
    before = assumptions.exceptions or Exceptions({}, {}, "the bill")
    resources = {urn: {**before.resources.get(urn, {}), **values} for urn, values in usage.items()}
    return replace(assumptions, exceptions=Exceptions(before.types, {**before.resources, **resources}, before.source))


def _prices(rows: Sequence[Row]) -> Iterator[tuple[_Thing, Decimal]]:
    """Prices that differ from the book's, over all lines of one price.

    Only of what was bought in one way: the mean of two markets, or of a commitment and its overflow, is no price.
    """
    costs: dict[_Thing, list[Row]] = {}
    for row in rows:
        if row.quantity and row.cost > 0:
            line = row.line
            key = (line.provider, line.region, line.sku, line.unit, f"{line.purchase},{line.term}")
            costs.setdefault(key, []).append(row)
    for key, of_thing in sorted(costs.items()):
        payments = frozenset[tuple[str, str]]().union(*(row.payments for row in of_thing))
        markets = {"spot"} if of_thing[0].line.purchase == "spot" else {""}
        if len(payments) != 1 or {market for _, market in payments} != markets:
            continue
        quantity = sum((row.quantity or Decimal(0) for row in of_thing), Decimal(0))
        price = (sum((row.cost for row in of_thing), Decimal(0)) / quantity).quantize(_PLACES).normalize()
        if any(row.line.price is None or abs(row.line.price - price) > _NEAR * price for row in of_thing):
            yield key, price


def usage_text(learned: DerivedUsage, source: str) -> str:
    """The file that `--usage` reads."""
    lines = [f"# Monthly usage, learned from {source}."]
    lines += ["resources:"] if learned.usage else ["resources: {}  # the bill gives no usage to set"]
    for urn in sorted(learned.usage, key=urn_name):
        lines.append(f'  "{urn}":')
        lines += [f"    {name}: {value:f}" for name, value in learned.usage[urn].items()]
    return "\n".join(lines) + "\n"


def prices_text(learned: DerivedUsage, source: str, as_of: str) -> str:
    """The file that `--prices` reads; only a header if every price is the book's."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow([*OWN_ROW.split(","), "as_of", "source"])
    for (provider, region, sku, unit, bought), price in learned.prices.items():
        rows.writerow([provider, region, sku, unit, *bought.split(","), f"{price:f}", as_of, source])
    return out.getvalue()
