"""Owning for users: the cost of a year, omitted costs, every input, and the use above which owning is cheaper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpucluster.cost.documents.tco.model import tco_model
from gpucluster.cost.documents.tco.rows import COLUMNS, tco_rows
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import cents
from gpucluster.cost.money import change, money, percent
from gpucluster.cost.render.document import Block, Document, Notes, Table, Totals, table
from gpucluster.cost.tco import Against, Own


def tco_document(own: Own, lives: Sequence[Own], found: Sequence[Against]) -> Document:
    """The whole answer. lives: the same cluster used for other numbers of years. found: prices to compare with."""
    nodes = f"{own.inputs.number('nodes'):,f} nodes, {own.gpus:,f} GPUs, and {own.spares:,f} spare"

    def drawings() -> Iterator[str]:
        from gpucluster.cost.documents.tco.figures import tco_figures  # only pages need it

        return tco_figures(own, found)

    return Document(
        title=f"A cluster of your own: {nodes}; USD a year, before tax",
        blocks=lambda: _blocks(own, lives, found),
        model=lambda: tco_model(own, lives, found),
        columns=COLUMNS,
        rows=lambda: tco_rows(own, lives, found),
        drawings=drawings,
    )


def _blocks(own: Own, lives: Sequence[Own], found: Sequence[Against]) -> Iterator[Block]:
    yield _items(own)
    yield Totals([*_totals(own, lives)])
    if lacking := [*_missing(own)]:
        yield Notes("Not included (no value given): --set NAME=VALUE, or a line of --inputs FILE", lacking)
    by_use, idle_too = ([one for one in found if one.idle_too is idle] for idle in (False, True))
    if by_use:
        heads = ["against pay-as-you-go", "$/GPU-hour", "owning costs less from"]
        yield table(
            [*heads, f"saved a year at {percent(own.utilisation)}"],
            [[one.name, money(cents(one.rate)), _from(one), change(cents(one.yearly))] for one in by_use],
        )
    if idle_too:
        yield table(
            ["against a reservation", "$/GPU-hour", "saved a year by owning"],
            [[one.name, money(cents(one.rate)), change(cents(one.yearly))] for one in idle_too],
        )
    if remarks := [*_remarks(own, found)]:
        yield Notes("", remarks)
    yield table(
        ["input", "value", "unit", "source"],
        [
            [
                given.field.name,
                "-" if given.value is None else f"{given.value:,f}",
                given.field.unit,
                given.source if given.value is not None else "not given",
            ]
            for given in own.inputs.given.values()
        ],
        words={0, 2, 3},
        folded=3,
    )


def _items(own: Own) -> Table:
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
    total = _at_least(own, own.annual)
    rows.append(["in all", total, money(cents(own.per_productive_gpu_hour)), percent(Decimal(1))])
    return table(["cost", "$/year", "$/productive GPU-hour", "share"], rows)


def _totals(own: Own, lives: Sequence[Own]) -> Iterator[tuple[str, str]]:
    yield "Paid at the start", money(cents(own.capital))
    yield "A year of one GPU", _at_least(own, own.per_gpu_year)
    hour = f"A productive GPU-hour, {percent(own.utilisation)} of the hours used"
    yield hour, _at_least(own, own.per_productive_gpu_hour)
    for other in lives:
        years = plain(other.inputs.number("life_years"))
        yield f"  used for {years} years", _at_least(other, other.per_productive_gpu_hour)
    if own.co2_tonnes is not None:
        yield "CO2e of its electricity a year", f"{own.co2_tonnes:,.0f} t"


def _missing(own: Own) -> Iterator[str]:
    """Omitted costs, with the inputs that were not given."""
    for item in own.not_included:
        names = [name for name in item.inputs if own.inputs.get(name) is None]
        yield f"{item.name}: {', '.join(names)}"
    if own.not_included and own.inputs.get("downtime_share") is None:
        yield "hours lost to repairs: downtime_share"


def _remarks(own: Own, found: Sequence[Against]) -> Iterator[str]:
    """Remarks on the comparison."""
    if found:
        yield "cloud prices are for machines only, at list price"
    if found and own.not_included:
        yield "costs not included raise the break-even use and lower the savings"
    if any(item.name.endswith("~") for item in found):
        yield "~ only second opinions on this price are known: approximate"


def _at_least(own: Own, amount: Decimal) -> str:
    return f"at least {money(cents(amount))}" if own.is_least else money(cents(amount))


def _signed(amount: Decimal) -> str:
    rounded = cents(amount)
    return f"-{money(-rounded)}" if rounded < 0 else money(rounded)


def _from(item: Against) -> str:
    return "never" if item.break_even is None else f"{percent(item.break_even)} of use"
