"""Owning for people: what a year costs, what is not in it, every input, and from which use on it is cheaper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from cost.handlers.whole_machines import plain
from cost.model import cents
from cost.money import change, money, percent
from cost.render.grid import grid
from cost.render.layout import WIDEST, Layout
from cost.tco import Against, Own

__all__ = ["tco_table"]


def tco_table(own: Own, lives: Sequence[Own], found: Sequence[Against], width: int = WIDEST) -> str:
    """The whole report. lives: the same cluster used for other numbers of years. width: characters of a line."""
    layout = Layout(width)
    inputs = own.inputs
    nodes = f"{inputs.number('nodes'):,f} nodes, {own.gpus:,f} GPUs, and {own.spares:,f} spare"
    lines = layout.under("", f"A cluster of your own: {nodes}; USD a year, before tax")
    lines += ["", *grid(["cost", "$/year", "$/productive GPU-hour", "share"], list(_items(own)), width), ""]
    lines += layout.total("Paid at the start", money(cents(own.capital)))
    lines += layout.total("A year of one GPU", _at_least(own, cents(own.per_gpu_year)))
    lines += layout.total(
        f"A productive GPU-hour, {percent(own.utilisation)} of the hours used",
        _at_least(own, cents(own.per_productive_gpu_hour)),
    )
    for other in lives:
        lines += layout.total(
            f"  used for {plain(other.inputs.number('life_years'))} years",
            _at_least(other, cents(other.per_productive_gpu_hour)),
        )
    if own.co2_tonnes is not None:
        lines += layout.total("CO2e of its electricity a year", f"{own.co2_tonnes:,.0f} t")
    if own.not_included:
        lines += ["", "Not included, since nobody gave a figure: --set NAME=VALUE, or a line of --inputs FILE"]
        for item in own.not_included:
            names = [name for name in item.inputs if inputs.get(name) is None]
            lines += layout.wrapped("  -", f"{item.name}: {', '.join(names)}")
        if inputs.get("downtime_share") is None:
            lines += layout.wrapped("  -", "hours without use for repairs: downtime_share")
    lines += _against(own, found, layout)
    lines += ["", "Inputs"]
    rows = [
        [given.field.name, "-" if given.value is None else f"{given.value:,f}", given.field.unit]
        for given in inputs.given.values()
    ]
    name, value, unit = (max(len(row[at]) for row in rows) for at in range(3))
    for row, given in zip(rows, inputs.given.values(), strict=True):
        start = f"  {row[0]:<{name}}  {row[1]:>{value}}  {row[2]:<{unit}}"
        lines += layout.wrapped(start, given.source if given.value is not None else "not given")
    return "\n".join(lines)


def _items(own: Own) -> Iterator[list[str]]:
    for item in own.items:
        if item.annual is not None:
            share = f"{item.annual / own.annual:.1%}" if own.annual else "-"
            hourly = _signed(item.annual / own.productive_gpu_hours)
            yield [f"{item.name}: {item.how}", _signed(item.annual), hourly, share]
    total = _at_least(own, cents(own.annual))
    yield ["in all", total, money(cents(own.per_productive_gpu_hour)), percent(Decimal(1))]


def _signed(amount: Decimal) -> str:
    rounded = cents(amount)
    return f"-{money(-rounded)}" if rounded < 0 else money(rounded)


def _at_least(own: Own, amount: Decimal) -> str:
    """Every cost that is missing would make it more, but for what the nodes are worth at the end."""
    missing = [item for item in own.not_included if item.name != "worth at the end"]
    return f"at least {money(amount)}" if missing else money(amount)


def _against(own: Own, found: Sequence[Against], layout: Layout) -> Iterator[str]:
    by_use = [item for item in found if not item.idle_too]
    if by_use:
        rows = [[item.name, money(cents(item.rate)), _from(item), change(cents(item.yearly))] for item in by_use]
        used = f"saved a year at {percent(own.utilisation)}"
        yield ""
        yield from grid(
            ["against what is paid by use", "$/GPU-hour", "owning costs less from", used], rows, layout.width
        )
    idle = [item for item in found if item.idle_too]
    if idle:
        rows = [[item.name, money(cents(item.rate)), change(cents(item.yearly))] for item in idle]
        yield ""
        yield from grid(["against what is paid idle too", "$/GPU-hour", "saved a year by owning"], rows, layout.width)
    if found:
        yield from layout.wrapped("  -", "prices of a cloud are of its machines alone, at list price")
    if found and own.not_included:
        more = "costs that are not included would make it cheaper only from more use on, and save less"
        yield from layout.wrapped("  -", more)
    if any(item.name.endswith("~") for item in found):
        yield from layout.wrapped("  -", "~ only second opinions on this price are known: approximate")


def _from(item: Against) -> str:
    return "never" if item.break_even is None else f"{percent(item.break_even)} of use"
