"""Purchase options for users: a table for each pool, remarks on it, and the sources of its prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from gpucluster.core.documents.charts import Bar, Bars, Figure, Panel, figure
from gpucluster.core.documents.document import Document, Heading, Notes, Section
from gpucluster.cost.documents.charts import use_chart, use_line
from gpucluster.cost.documents.options.options_text import (
    fitting_text,
    mix_table,
    pool_heading,
    prices,
    remarks,
    unpriced_lines,
    unpriced_text,
    way_table,
    zone_table,
)
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.prices import OWN_ROW, PRICES_VARIABLE
from gpucluster.cost.pricing.model import HOURS_PER_MONTH
from gpucluster.cost.pricing.money import money, percent, percent_of, ranged
from gpucluster.cost.purchasing import Option, Options, PoolOptions

_HELD: Final = "In reservations, the same in every row and part of each amount"
COLUMNS: Final = (
    "pool", "part", "machine", "region", "row", "way", "purchase", "term", "zone", "machines_bought",
    "usd_per_machine_hour", "machines_monthly", "machines_monthly_floor", "machines_monthly_ceiling", "stack_monthly",
    "stack_bound", "upfront", "then_monthly", "by_end_of_days", "contract_value", "per_gpu_hour", "per_useful_gpu_hour",
    "source", "as_of", "confidence", "rankable", "reason",
)  # fmt: skip
"""Fields as in `gpucluster cost options --format json`. row: `way`, `mix`, `spot by zone`, `not priced`, the latter
with its reason and without amounts, or `bought elsewhere`, which is part of each amount. stack_bound: `bounded` or
`at least` if something else in the stack has no price. Options sold by the day have no amount if the number of days is
unknown."""

_LEAST: Final = "an effective GPU-hour costs at least that: the interruption rate of spot has no upper bound"

_BOUNDS: Final = {"complete": "", "bounded": "bounded", "unknown": "at least"}


def options_document(options: Options, title: str) -> Document:
    """A table for each pool, remarks on it, and the sources of its prices."""

    def model() -> Any:
        from gpucluster.cost.documents.options.options_json import options_json

        return options_json(options)

    return Document(
        title=title,
        basis=_basis(options),
        sections=lambda: _sections(options),
        model=model,
        rows=lambda: (COLUMNS, _rows(model(), options)),
    )


def _sections(options: Options) -> Iterator[Section]:
    for found in options.pools:
        yield Heading(pool_heading(found, options))
        yield from _pool(found, options)
    if not options.pools:
        yield "No GPU machines with another purchase option"
    if options.held:
        yield Notes(_HELD, [*_held(options)])


def _pool(found: PoolOptions, options: Options) -> Iterator[Section]:
    yield way_table(found, options) if found.options else mix_table(found)
    if notes := [*([_rest(found)] if found.options else []), *remarks(found, options)]:
        yield Notes("", notes)
    if found.zones:
        yield zone_table(found)
    if found.not_priced:
        own = [f"{one.reason.own_row},..." for one in found.not_priced if one.reason.own_row]
        sentence = f"For prices of your own, --prices FILE or {PRICES_VARIABLE}=FILE, a CSV with"
        texts = [f"{one.words}: {unpriced_text(one, found, options)}" for one in found.not_priced]
        brief = [*unpriced_lines(found, options, reasons=False)]
        yield Notes("Not priced", texts, lines=[sentence, OWN_ROW, *own] if own else [], brief=brief)
    yield Notes("Prices", [*prices(found)])


def _basis(options: Options) -> str:
    """The basis of every amount, and whether it includes support."""
    return f"list prices in USD, before tax, discounts and data transfer; {_support(options)}"


def _support(options: Options) -> str:
    if options.support is None:
        return "support not included: --support adds it"
    plan = options.support
    bounds = "" if plan.lowest is None else f", at its highest rate of {percent_of(plan.bands[0][1])}"
    bounds += ", at its minimum" if plan.open else ""
    return f"with {plan.plan}{bounds} on an account that spends {money(options.account_usd)} a month elsewhere"


def _rest(found: PoolOptions) -> str:
    """The part of the stack's cost that is the same in each row."""
    amount = ranged(found.rest.expected, found.gap)
    return (
        f"the rest of the stack is {amount} a month in each row; upfront, paid by day and total commitment are "
        "for the machines only"
    )


def _held(options: Options) -> Iterator[str]:
    """Machines in reservations, and the cost of those bought elsewhere."""
    for held in options.held:
        line = held.line
        worth = f"; {money(line.monthly)} a month, committed elsewhere" if line.monthly else ""
        yield f"{held.name}: {line.name}{worth}"


def _rows(found_json: Any, options: Options) -> Iterator[Mapping[str, Any]]:
    """The lists of the JSON, each item with its pool."""
    model = found_json.model_dump()
    for pool, found in zip(model["pools"], options.pools, strict=True):
        of = {name: pool[name] for name in ("part", "machine", "region")} | {"pool": pool["resource_name"]}
        bound = _BOUNDS[pool["rest_known"]["state"]]
        for one in pool["options"]:
            stack = {"stack_monthly": one["stack_monthly_with_support"], "stack_bound": bound}
            yield {**of, **one, **one["cash"], **stack, "row": "way", "reason": _open(one)}
        for one, row in zip(pool["mixes"], mix_table(found).rows, strict=True):
            monthly = one["monthly"]
            yield {
                **of,
                "row": "mix",
                "way": row.cells[0],
                "machines_monthly": monthly["expected"],
                "machines_monthly_floor": monthly["floor"],
                "machines_monthly_ceiling": monthly["ceiling"],
                "rankable": one["rankable"],
            }
        for one in pool["spot_by_zone"]:
            spot = {"row": "spot by zone", "purchase": "spot", "machines_monthly": one["monthly"]}
            yield {**of, **one, **spot, "reason": _open(one)}
        for one in found.not_priced:
            yield {**of, "row": "not priced", "way": one.words, "reason": unpriced_text(one, found, options)}
    for held, one in zip(options.held, model["bought_elsewhere"], strict=True):
        kept = {"way": one["name"], "machines_monthly": one["monthly"], "upfront": one["upfront"]}
        yield {"pool": held.name, "row": "bought elsewhere", **kept}


def _open(one: Mapping[str, Any]) -> str:
    return _LEAST if one["useful_is_most"] else ""


def option_figures(options: Options) -> Iterator[Figure]:
    """For each pool with a single purchase option, the options; with commitments, their break-even."""
    for number, found in enumerate(options.pools):
        if found.options:
            yield _ways(number, found, options)
            if any(option.beats_on_demand is not None for option in found.options):
                yield _break_even(number, found)


def _ways(number: int, found: PoolOptions, options: Options) -> Figure:
    last = {option: not option.rate.rankable or found.stops_as_one(option) for option in found.options}
    ordered = sorted(found.options, key=lambda option: (last[option], found.stack_monthly(option)))
    rows = [_way(option, found, options) for option in ordered]
    ranked = [option for option in ordered if not last[option]]
    text = f"{pool_heading(found, options)}. $ a month of the whole stack, spread over the hours that it is paid for."
    if len(ranked) > 1:
        cheapest, dearest = ranked[0], ranked[-1]
        text += (
            f" From {money(found.stack_monthly(cheapest))} ({cheapest.way.words}) to "
            f"{money(found.stack_monthly(dearest))} ({dearest.way.words})."
        )
    panel = Panel(Bars(rows), notes=("Not priced, and so not ranked:", [*unpriced_lines(found, options, reasons=True)]))
    return Figure(f"options-{number}", "By purchase option, a month", text, [panel])


def _way(option: Option, found: PoolOptions, options: Options) -> Bar:
    monthly = options.with_support(found.stack_monthly(option))
    useful = found.per_useful_gpu_hour(option, options.settings)
    notes = ["as in the plan"] if (option.way.purchase, option.way.term) == (found.pool.purchase, "") else []
    if useful is not None:
        notes.append(f"{money(useful)} an effective GPU-hour")
    if option.bought.idle:
        notes.append(f"{plain(option.bought.machines)} machines bought, {plain(option.bought.idle)} of them idle")
    if (fitting := found.fitting_of(option)) is not None:
        notes.append(fitting_text(fitting, found))
    if option.upfront:
        notes.append(f"{money(option.upfront)} upfront")
    if option.contract:
        notes.append(f"{money(option.contract)} total commitment")
    if not option.rate.rankable:
        notes.append("approximate, not ranked")
    if found.stops_as_one(option):
        notes.append(
            "no offer for machines that train together: one reclaimed node stops the job on all; a spec refuses it"
        )
    return Bar(option.way.words, monthly, ranged(monthly, found.gap), "", "; ".join(notes))


def _break_even(number: int, found: PoolOptions) -> Figure:
    """On-demand cost grows with the hours used; a commitment costs the same at any use."""
    pool, hours = found.pool, found.pool.count.expected * HOURS_PER_MONTH
    commitments = [option for option in found.options if option.beats_on_demand is not None]
    on_demand = next(option.rate.usd / option.beats_on_demand for option in commitments if option.beats_on_demand)
    lines = [use_line("on demand, paid by the hour", Decimal(0), on_demand * hours)]
    shares: list[str] = []
    for option in commitments:
        beats = option.beats_on_demand or Decimal(0)
        monthly = option.rate.usd * hours
        about = "" if option.rate.rankable else ", approximate"
        shares.append(f"{option.way.words} from {percent(beats)}{about}")
        lines.append(
            use_line(f"{option.way.words}: cheaper from {percent(beats)} of the hours{about}", monthly, monthly, beats)
        )
    text = f"{pool.name}: share of hours above which a commitment for all machines is cheaper than on demand: "
    text += f"{', '.join(shares)}."
    return figure(f"break-even-{number}", "Break-even use of a commitment", text, use_chart(lines, text))
