"""Purchase options as charts: the stack's cost under each, and the use above which a commitment is cheaper."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.cost.documents.options.document import pool_heading
from gpucluster.cost.documents.options.remarks import fitting_words
from gpucluster.cost.documents.options.unpriced import why
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.model import HOURS_PER_MONTH
from gpucluster.cost.money import money, percent, ranged
from gpucluster.cost.purchasing import Option, Options, PoolOptions
from gpucluster.cost.render.html.charts import Bar, Curve, bars, curves, figure
from gpucluster.cost.render.html.page import items, safe


def option_figures(options: Options) -> Iterator[str]:
    """For each pool with a single purchase option, the options; with commitments, their break-even."""
    for number, found in enumerate(options.pools):
        if found.options:
            yield _ways(number, found, options)
            if any(option.beats_on_demand is not None for option in found.options):
                yield _break_even(number, found)


def _ways(number: int, found: PoolOptions, options: Options) -> str:
    last = {option: not option.rate.rankable or found.stops_as_one(option) for option in found.options}
    ordered = sorted(found.options, key=lambda option: (last[option], found.stack_monthly(option)))
    rows = [_way(option, found, options) for option in ordered]
    ranked = [option for option in ordered if not last[option]]
    words = f"{pool_heading(found, options)}. $ a month of the whole stack, spread over the hours that it is paid for."
    if len(ranked) > 1:
        cheapest, dearest = ranked[0], ranked[-1]
        words += (
            f" From {money(found.stack_monthly(cheapest))} ({cheapest.way.words}) to "
            f"{money(found.stack_monthly(dearest))} ({dearest.way.words})."
        )
    left = [f"{one.words}: {why(one, found, options)}" for one in found.not_priced]
    unpriced = f'<p class="quiet">{safe("Not priced, and so not ranked:")}</p>{items(left)}' if left else ""
    return figure(f"options-{number}", "By way to buy, a month", words, bars(rows) + unpriced)


def _way(option: Option, found: PoolOptions, options: Options) -> Bar:
    monthly = options.with_support(found.stack_monthly(option))
    useful = found.per_useful_gpu_hour(option, options.settings)
    notes = ["as in the plan"] if (option.way.purchase, option.way.term) == (found.pool.purchase, "") else []
    if useful is not None:
        notes.append(f"{money(useful)} a useful GPU-hour")
    if option.bought.idle:
        notes.append(f"{plain(option.bought.machines)} machines bought, {plain(option.bought.idle)} of them idle")
    if (fitting := found.fitting_of(option)) is not None:
        notes.append(fitting_words(fitting, found))
    if option.upfront:
        notes.append(f"{money(option.upfront)} upfront")
    if option.contract:
        notes.append(f"{money(option.contract)} owed in all")
    if not option.rate.rankable:
        notes.append("approximate, not ranked")
    if found.stops_as_one(option):
        notes.append(
            "no offer for machines that train together: one reclaimed node stops the job on all; a spec refuses it"
        )
    return Bar(option.way.words, monthly, ranged(monthly, found.gap), "", "; ".join(notes))


def _break_even(number: int, found: PoolOptions) -> str:
    """On-demand cost grows with the hours used; a commitment costs the same at any use."""
    pool, hours = found.pool, found.pool.count.expected * HOURS_PER_MONTH
    commitments = [option for option in found.options if option.beats_on_demand is not None]
    on_demand = next(option.rate.usd / option.beats_on_demand for option in commitments if option.beats_on_demand)
    lines = [Curve("on demand, paid by the hour", Decimal(0), on_demand * hours)]
    said: list[str] = []
    for option in commitments:
        beats = option.beats_on_demand or Decimal(0)
        monthly = option.rate.usd * hours
        about = "" if option.rate.rankable else ", approximate"
        said.append(f"{option.way.words} from {percent(beats)}{about}")
        lines.append(
            Curve(f"{option.way.words}: cheaper from {percent(beats)} of the hours{about}", monthly, monthly, beats)
        )
    words = f"{pool.name}: share of hours above which a commitment for all machines is cheaper than on demand: "
    words += f"{', '.join(said)}."
    drawing = curves(lines, ends=("no hours used", "all hours used"), label=words)
    return figure(f"break-even-{number}", "Break-even use of a commitment", words, drawing)
