"""Owning: the cost of a year, omitted costs, every input, and the use above which owning is cheaper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, Field

from gpucluster.core.documents.charts import Bar, Bars, Figure, figure
from gpucluster.core.documents.document import Document, Notes, Row, Section, Table, table
from gpucluster.core.documents.model import Model
from gpucluster.cost.documents.charts import use_chart, use_line
from gpucluster.cost.documents.json_schema import Amount, Answer, text_of
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.pricing.model import cents
from gpucluster.cost.pricing.money import change, money, percent
from gpucluster.cost.tco import Against, Own
from gpucluster.cost.tco.own import HOURS_PER_YEAR

COLUMNS = ("section", "name", "what", "value", "unit", "bound", "source")
"""bound: `at least` if an omitted cost would increase a figure. Amounts are to the cent, shares to a hundredth of a
percent."""

_SHARE = Decimal("0.0001")
_YEAR = "USD a year"
_HOUR = "USD a GPU-hour"


def tco_document(own: Own, lives: Sequence[Own], found: Sequence[Against]) -> Document:
    """The whole answer. lives: the same cluster used for other numbers of years. found: prices to compare with."""
    nodes = f"{own.inputs.number('nodes'):,f} nodes, {own.gpus:,f} GPUs, and {own.spares:,f} spare"

    return Document(
        title=f"A cluster of your own: {nodes}; USD a year, before tax",
        sections=lambda: _sections(own, lives, found),
        model=lambda: _json(own, lives, found),
        rows=lambda: (COLUMNS, (dict(zip(COLUMNS, row, strict=True)) for row in _rows(own, lives, found))),
        figures=lambda: _figures(own, found),
    )


def _sections(own: Own, lives: Sequence[Own], found: Sequence[Against]) -> Iterator[Section]:
    yield _items(own)
    yield Table(heads=(), sums=[*_totals(own, lives)])
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
        left={0, 2, 3},
        wide=3,
        stacked=(3,),
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
    rows.append(["total", total, money(cents(own.per_productive_gpu_hour)), percent(Decimal(1))])
    return table(["cost", "$/year", "$/productive GPU-hour", "share"], rows)


def _totals(own: Own, lives: Sequence[Own]) -> Iterator[Row]:
    yield Row(("Paid at the start", money(cents(own.capital))), strong=True)
    yield Row(("A year of one GPU", _at_least(own, own.per_gpu_year)), strong=True)
    hour = f"A productive GPU-hour, {percent(own.utilisation)} of the hours used"
    yield Row((hour, _at_least(own, own.per_productive_gpu_hour)), strong=True)
    for other in lives:
        years = plain(other.inputs.number("life_years"))
        yield Row((f"used for {years} years", _at_least(other, other.per_productive_gpu_hour)))
    if own.co2_tonnes is not None:
        yield Row(("CO2e of its electricity a year", f"{own.co2_tonnes:,.0f} t"), strong=True)


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


def _figures(own: Own, found: Sequence[Against]) -> Iterator[Figure]:
    """found: cloud prices to compare with."""
    yield _items_figure(own)
    if found:
        yield _against(own, found)


def _items_figure(own: Own) -> Figure:
    known = [item for item in own.items if item.annual is not None]
    total = sum((item.annual or Decimal(0) for item in known), Decimal(0))
    rows = [
        Bar(
            item.name,
            item.annual,
            money(cents(item.annual or Decimal(0))),
            percent((item.annual or Decimal(0)) / total) if total else "",
            item.how,
        )
        for item in sorted(known, key=lambda item: -(item.annual or Decimal(0)))
    ]
    text = f"{', '.join(f'{row.name} {row.amount}' for row in rows[:4])} a year."
    return figure("items", "By item, a year", text, Bars([row for row in rows if row.size]))


def _against(own: Own, found: Sequence[Against]) -> Figure:
    """Owning costs nearly the same at any use; a price by use grows with it."""
    lines = [use_line("nodes of your own", own.fixed, own.fixed + own.per_use)]
    names: list[str] = []
    for one in found:
        if one.idle_too:
            paid = one.rate * own.gpus * HOURS_PER_YEAR
            saves = f"owning {'saves' if one.yearly >= 0 else 'costs'} {money(cents(abs(one.yearly)))} a year"
            name = f"{one.name}, reserved: {saves}{'' if one.yearly >= 0 else ' more'}"
            lines.append(use_line(name, paid, paid))
        else:
            full = one.rate * own.available_gpu_hours
            never = one.break_even is None
            less = "never costs less" if never else f"costs less from {percent(one.break_even or Decimal(0))} of use"
            name = f"{one.name}, pay-as-you-go: owning {less}"
            lines.append(use_line(name, Decimal(0), full, one.break_even))
        names.append(name)
    text = f"{'; '.join(names)}."
    if own.not_included:
        text += " Costs not included make owning more expensive than drawn; the resale value of nodes makes it cheaper."
    return figure("break-even", "Against a cloud, a year", text, use_chart(lines, text))


def _rows(own: Own, lives: Sequence[Own], found: Sequence[Against]) -> Iterator[tuple[str, ...]]:
    for item in own.items:
        if item.annual is not None:
            yield "cost", item.name, "a year", _usd(item.annual), _YEAR, "", item.how
    bound = "at least" if own.is_least else ""
    yield "total", "all costs", "a year", _usd(own.annual), _YEAR, bound, ""
    yield "total", "all costs", "paid at the start", _usd(own.capital), "USD", "", ""
    yield "total", "all costs", "of one GPU", _usd(own.per_gpu_year), _YEAR, bound, ""
    for used in (own, *lives):
        years = f"used for {text_of(used.inputs.number('life_years'))} years"
        least = "at least" if used.is_least else ""
        yield "total", "a productive GPU-hour", years, _usd(used.per_productive_gpu_hour), _HOUR, least, ""
    if own.co2_tonnes is not None:
        yield "total", "CO2e of electricity", "a year", text_of(round(own.co2_tonnes, 1)), "t", "", ""
    for item in own.not_included:
        absent = [name for name in item.inputs if own.inputs.get(name) is None]
        yield "not included", item.name, "", "", "", "", f"not given: {', '.join(absent)}"
    for item in found:
        paid = "against a reservation" if item.idle_too else "against pay-as-you-go"
        yield paid, item.name, "its price", _usd(item.rate), _HOUR, "", ""
        if not item.idle_too:
            share = "" if item.break_even is None else text_of(item.break_even.quantize(_SHARE))
            yield paid, item.name, "owning costs less from", share, "share of hours", "", "" if share else "never"
        yield paid, item.name, "saved by owning", _usd(item.yearly), _YEAR, "", ""
    for name, given in own.inputs.given.items():
        value = "" if given.value is None else text_of(given.value)
        yield "input", name, "", value, given.field.unit, "", given.source if value else "not given"


def _usd(amount: Decimal) -> str:
    return text_of(cents(amount))


Usd = Annotated[Amount, AfterValidator(cents)]
Share = Annotated[Amount, AfterValidator(lambda value: value.quantize(_SHARE))]


class Cost(Model):
    name: str
    annual: Usd | None
    how: str
    inputs: list[str]


class CurvePoint(Model):
    utilisation: Amount
    own_per_gpu_hour: Usd = Field(validation_alias="own")
    cloud_per_gpu_hour: Usd = Field(validation_alias="cloud")


class Price(Model):
    name: str
    usd_per_gpu_hour: Amount = Field(validation_alias="rate")
    paid_idle_too: bool = Field(validation_alias="idle_too")
    break_even_utilisation: Share | None = Field(validation_alias="break_even")
    saved_a_year: Usd = Field(validation_alias="yearly")
    curve: list[CurvePoint]


class Input(Model):
    value: Amount | None
    unit: str
    source: str


class Owned(Answer):
    """A cluster of your own; amounts to the cent, shares to a hundredth of a percent."""

    gpus: Amount
    spare_nodes: Amount
    capital: Usd
    annual: Usd
    per_gpu_year: Usd
    per_productive_gpu_hour: Usd
    co2e_tonnes_a_year: Amount | None
    productive_gpu_hours: Amount
    by_life_years: dict[str, Usd]
    items: list[Cost]
    not_included: list[str]
    against: list[Price]
    inputs: dict[str, Input]


def _json(own: Own, lives: Sequence[Own], found: Sequence[Against]) -> Owned:
    return Owned.model_validate(
        {
            "gpus": own.gpus,
            "spare_nodes": own.spares,
            "capital": own.capital,
            "annual": own.annual,
            "per_gpu_year": own.per_gpu_year,
            "per_productive_gpu_hour": own.per_productive_gpu_hour,
            "co2e_tonnes_a_year": None if own.co2_tonnes is None else round(own.co2_tonnes, 1),
            "productive_gpu_hours": own.productive_gpu_hours,
            "by_life_years": {
                text_of(item.inputs.number("life_years")): item.per_productive_gpu_hour for item in (own, *lives)
            },
            "items": own.items,
            "not_included": [item.name for item in own.not_included],
            "against": found,
            "inputs": {
                name: {
                    "value": given.value,
                    "unit": given.field.unit,
                    "source": given.source if given.value is not None else "",
                }
                for name, given in own.inputs.given.items()
            },
        }
    )
