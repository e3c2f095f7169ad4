"""Owning as cells and remarks for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import cents
from gpucluster.cost.money import change, money, percent
from gpucluster.cost.tco import Against, Own
from gpucluster.cost.tco.own import Item

__all__ = [
    "heading",
    "idle_rows",
    "input_rows",
    "is_least",
    "item_rows",
    "missing",
    "remarks",
    "total_rows",
    "use_rows",
]

Rows = tuple[list[str], list[list[str]]]
"""(heads of the columns, rows of cells)."""


def heading(own: Own) -> str:
    """What the cluster is, in one line."""
    nodes = f"{own.inputs.number('nodes'):,f} nodes, {own.gpus:,f} GPUs, and {own.spares:,f} spare"
    return f"A cluster of your own: {nodes}; USD a year, before tax"


def item_rows(own: Own) -> Rows:
    """A row for each cost, and their sum."""
    rows = [
        [
            f"{item.name}: {item.how}",
            _signed(item.annual),
            _signed(item.annual / own.productive_gpu_hours),
            f"{item.annual / own.annual:.1%}" if own.annual else "-",
        ]
        for item in own.items
        if item.annual is not None
    ]
    total = _at_least(own, cents(own.annual))
    rows.append(["in all", total, money(cents(own.per_productive_gpu_hour)), percent(Decimal(1))])
    return ["cost", "$/year", "$/productive GPU-hour", "share"], rows


def total_rows(own: Own, lives: Sequence[Own]) -> Iterator[tuple[str, str]]:
    """(what, amount). lives: the same cluster used for other numbers of years."""
    yield "Paid at the start", money(cents(own.capital))
    yield "A year of one GPU", _at_least(own, cents(own.per_gpu_year))
    hour = f"A productive GPU-hour, {percent(own.utilisation)} of the hours used"
    yield hour, _at_least(own, cents(own.per_productive_gpu_hour))
    for other in lives:
        years = plain(other.inputs.number("life_years"))
        yield f"  used for {years} years", _at_least(other, cents(other.per_productive_gpu_hour))
    if own.co2_tonnes is not None:
        yield "CO2e of its electricity a year", f"{own.co2_tonnes:,.0f} t"


def missing(own: Own) -> Iterator[str]:
    """What is not included, with the inputs that nobody gave."""
    for item in own.not_included:
        names = [name for name in item.inputs if own.inputs.get(name) is None]
        yield f"{item.name}: {', '.join(names)}"
    if own.not_included and own.inputs.get("downtime_share") is None:
        yield "hours without use for repairs: downtime_share"


def use_rows(own: Own, found: Sequence[Against]) -> Rows:
    """Against what is paid by use."""
    heads = ["against what is paid by use", "$/GPU-hour", "owning costs less from"]
    rows = [
        [item.name, money(cents(item.rate)), _from(item), change(cents(item.yearly))]
        for item in found
        if not item.idle_too
    ]
    return [*heads, f"saved a year at {percent(own.utilisation)}"], rows


def idle_rows(found: Sequence[Against]) -> Rows:
    """Against what is paid idle too."""
    rows = [[item.name, money(cents(item.rate)), change(cents(item.yearly))] for item in found if item.idle_too]
    return ["against what is paid idle too", "$/GPU-hour", "saved a year by owning"], rows


def remarks(own: Own, found: Sequence[Against]) -> Iterator[str]:
    """What to know of the comparison."""
    if found:
        yield "prices of a cloud are of its machines alone, at list price"
    if found and own.not_included:
        yield "costs that are not included would make it cheaper only from more use on, and save less"
    if any(item.name.endswith("~") for item in found):
        yield "~ only second opinions on this price are known: approximate"


def input_rows(own: Own) -> Rows:
    """Every input with its source."""
    rows = [
        [
            given.field.name,
            "-" if given.value is None else f"{given.value:,f}",
            given.field.unit,
            given.source if given.value is not None else "not given",
        ]
        for given in own.inputs.given.values()
    ]
    return ["input", "value", "unit", "source"], rows


def is_least(missing_items: Sequence[Item]) -> bool:
    """Whether a sum is at least what it says: every cost that is missing would make it more, but for what the nodes are
    worth at the end.
    """
    return any(item.name != "worth at the end" for item in missing_items)


def _at_least(own: Own, amount: Decimal) -> str:
    return f"at least {money(amount)}" if is_least(own.not_included) else money(amount)


def _signed(amount: Decimal) -> str:
    rounded = cents(amount)
    return f"-{money(-rounded)}" if rounded < 0 else money(rounded)


def _from(item: Against) -> str:
    return "never" if item.break_even is None else f"{percent(item.break_even)} of use"
