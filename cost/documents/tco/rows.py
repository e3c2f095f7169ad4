"""Owning for spreadsheets: a row for each figure, with its unit, and a row without a figure for each missing one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from gpucluster.cost.documents.words.plain import text_of
from gpucluster.cost.model import cents
from gpucluster.cost.tco import Against, Own

COLUMNS = ("section", "name", "what", "value", "unit", "bound", "source")
"""bound: `at least` if an omitted cost would increase a figure. Amounts are to the cent, shares to a hundredth of a
percent."""

_SHARE = Decimal("0.0001")
_YEAR = "USD a year"
_HOUR = "USD a GPU-hour"


def tco_rows(own: Own, lives: Sequence[Own], found: Sequence[Against]) -> Iterator[Mapping[str, str]]:
    """lives: the same cluster used for other numbers of years."""
    return (dict(zip(COLUMNS, row, strict=True)) for row in _rows(own, lives, found))


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
