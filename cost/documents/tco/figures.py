"""The yearly cost of own nodes as charts: by item, and against a cloud by use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

from gpucluster.cost.model import cents
from gpucluster.cost.money import money, percent
from gpucluster.cost.render.html.charts import Bar, Curve, bars, curves, figure
from gpucluster.cost.tco import Against, Own
from gpucluster.cost.tco.own import HOURS_PER_YEAR


def tco_figures(own: Own, found: Sequence[Against]) -> Iterator[str]:
    """found: cloud prices to compare with."""
    yield _items(own)
    if found:
        yield _against(own, found)


def _items(own: Own) -> str:
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
    words = f"{', '.join(f'{row.name} {row.amount}' for row in rows[:4])} a year."
    return figure("items", "By item, a year", words, bars([row for row in rows if row.size]))


def _against(own: Own, found: Sequence[Against]) -> str:
    """Owning costs nearly the same at any use; a price by use grows with it."""
    lines = [Curve("nodes of your own", own.fixed, own.fixed + own.per_use)]
    said: list[str] = []
    for one in found:
        if one.idle_too:
            paid = one.rate * own.gpus * HOURS_PER_YEAR
            saves = f"owning {'saves' if one.yearly >= 0 else 'costs'} {money(cents(abs(one.yearly)))} a year"
            name = f"{one.name}, reserved: {saves}{'' if one.yearly >= 0 else ' more'}"
            lines.append(Curve(name, paid, paid))
        else:
            full = one.rate * own.available_gpu_hours
            never = one.break_even is None
            less = "never costs less" if never else f"costs less from {percent(one.break_even or Decimal(0))} of use"
            name = f"{one.name}, pay-as-you-go: owning {less}"
            lines.append(Curve(name, Decimal(0), full, one.break_even))
        said.append(name)
    words = f"{'; '.join(said)}."
    if own.not_included:
        words += (
            " Costs not included make owning more expensive than drawn; the resale value of nodes makes it cheaper."
        )
    drawing = curves(lines, ends=("no hours used", "all hours used"), label=words)
    return figure("break-even", "Against a cloud, a year", words, drawing)
