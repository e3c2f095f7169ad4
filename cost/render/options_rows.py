"""Ways to buy as cells and remarks for people."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.whole_machines import plain, purchase_words
from gpucluster.cost.money import at_least, money, percent
from gpucluster.cost.options import Option, Options, PoolOptions
from gpucluster.cost.options.mix import Mix
from gpucluster.cost.options.rate import Rate
from gpucluster.cost.options.spot import Interruptions

__all__ = [
    "HELD",
    "basis",
    "heading",
    "held_texts",
    "mix_rows",
    "option_rows",
    "prices",
    "remarks",
    "rest",
    "zone_rows",
]

HELD: Final = "In reservations, the same in every row and part of each amount"

_APPROXIMATE: Final = " ~"
"""Mark of a price that is a second opinion only."""

Rows = tuple[list[str], list[list[str]]]
"""(heads of the columns, rows of cells)."""


def basis(options: Options) -> str:
    """What every amount is, and whether support is in it."""
    return f"list prices in USD, before tax, discounts and data transfer; {_support(options)}"


def _support(options: Options) -> str:
    settings = options.settings
    if options.support is not None and settings.account_spend is not None:
        return f"with {options.support.plan} on an account that spends {money(settings.account_spend)} a month besides"
    return "support not included: --support and --account-spend add it"


def rest(found: PoolOptions) -> str:
    """What of the stack is the same in each row."""
    amount = money(found.rest.expected) if found.complete else f"at least {money(found.rest.expected)}"
    return (
        f"the rest of the stack is {amount} a month in each row; what is paid before, paid until then and owed in "
        "all is for the machines alone"
    )


def held_texts(options: Options) -> Iterator[str]:
    """Machines in reservations, and what those cost that are bought elsewhere."""
    for held in options.held:
        line = held.line
        worth = f"; {money(line.monthly)} a month, committed elsewhere" if line.monthly else ""
        yield f"{held.name}: {line.name}{worth}"


def heading(found: PoolOptions, options: Options) -> str:
    """What the pool is, in one line."""
    pool = found.pool
    days = "" if options.days is None else f", wanted for {plain(options.days)} days"
    count = plain(pool.count.expected) + (" on average" if pool.count.varies else "")
    bought = f"in the plan {purchase_words(pool.provider, pool.purchase)}"
    return f"{pool.name}: {count} x {pool.machine} in {pool.region}, {bought}{days}"


def option_rows(found: PoolOptions, options: Options) -> Rows:
    """A pool that is bought in one way, a row for each."""
    until = "first month" if options.days is None else f"paid by day {plain(options.days)}"
    heads = ["way to buy", "bought", "$/h each", "stack $/month", "paid before", until, "owed in all", "useful GPU-h"]
    rows: list[list[str]] = []
    for option in found.options:
        useful = found.per_useful_gpu_hour(option, options.settings)
        monthly = options.with_support(found.stack_monthly(option))
        first = None if option.upfront is None else option.upfront + option.then_monthly
        rows.append(
            [
                _marked(option.way.words, option.rate),
                plain(option.bought.machines),
                money(option.rate.usd),
                at_least(monthly, complete=found.complete),
                _amount(option.upfront),
                _amount(first if options.days is None else option.by_end),
                _amount(option.contract) if option.contract != 0 else "-",
                "none" if useful is None else money(useful),
            ]
        )
    return heads, rows


def mix_rows(found: PoolOptions) -> Rows:
    """An elastic pool, a row for each mix."""
    rows = [
        [
            _mix(mix),
            money(mix.expected),
            money(mix.floor),
            money(mix.ceiling),
            f"{plain(mix.idle)} machines" if mix.idle else "-",
        ]
        for mix in found.mixes
    ]
    return ["machines of the pool", "$/month", "floor", "ceiling", "reserved, idle"], rows


def zone_rows(found: PoolOptions) -> Rows:
    """Spot zone by zone, the least first."""
    rows = [
        [
            zone.row.zone,
            money(zone.row.usd_per_unit),
            money(zone.monthly),
            "none" if zone.per_gpu_hour is None else money(zone.per_gpu_hour),
            "none" if zone.per_useful_gpu_hour is None else money(zone.per_useful_gpu_hour),
        ]
        for zone in found.zones
    ]
    return ["spot by zone", "$/h each", "machines $/month", "GPU-hour", "useful GPU-h"], rows


def remarks(found: PoolOptions, options: Options) -> Iterator[str]:
    """What to know of the rows; a remark on several ways is made once."""
    said: dict[str, list[str]] = {}
    for option in found.options:
        for text in _said(option, options):
            said.setdefault(text, []).append(option.way.words)
    for text, ways in said.items():
        yield f"{', '.join(ways)}: {text}"
    beats = [
        f"{option.way.words} from {percent(option.beats_on_demand)}"
        for option in found.options
        if option.beats_on_demand is not None
    ]
    if beats:
        yield f"cheaper than on demand, by the share of its term that the machines run: {', '.join(beats)}"
    if not found.complete and found.options:
        yield "a useful GPU-hour costs at least that: something else in the stack has no price"
    if any(not rate.rankable for rate in _rates(found)):
        yield f"{_APPROXIMATE.strip()} only second opinions on this price are known: approximate, never ranked"


def _said(option: Option, options: Options) -> Iterator[str]:
    bought = option.bought
    if bought.idle:
        idle = money(option.monthly * bought.idle / bought.machines)
        size = f"{plain(bought.used)} machines are a block of {plain(bought.machines)}"
        yield f"{size}, of which {plain(bought.idle)} stay idle: {idle} a month"
    if option.covered < 1:
        yield f"covers {percent(option.covered)} of the machines; the rest is on demand"
    if option.upfront is None:
        yield "sold by the day, and nothing says for how many; --days does"
    most = option.way.most_days
    if options.days is not None:
        if bought.days is not None and bought.days != options.days:
            yield f"{plain(options.days)} days are sold as {plain(bought.days)}"
        if most is not None and options.days > most:
            yield f"lasts {most} days at the most, and {plain(options.days)} are wanted"
    if option.way.said:
        yield option.way.said
    if option.rate.said:
        yield option.rate.said
    if option.interruptions is not None and option.interruptions.between is not None:
        yield _interrupted(option.interruptions, options)


def _interrupted(stop: Interruptions, options: Options) -> str:
    settings = options.settings
    nodes = "1 node" if stop.nodes == 1 else f"{plain(stop.nodes)} nodes"
    return (
        f"at {percent(settings.interruption_rate)} of nodes taken back in an hour, {nodes} are interrupted in "
        f"{percent(stop.per_hour)} of hours; each time {_hours(stop.lost)} h are lost: half of the "
        f"{_hours(settings.checkpoint_hours)} h between checkpoints, and {_hours(settings.restart_hours)} h to "
        f"restart. {percent(stop.useful)} of the paid hours are useful"
    )


def prices(found: PoolOptions) -> Iterator[str]:
    """Where each price comes from."""
    seen: dict[str, None] = {}
    for rate in _rates(found):
        row = rate.row
        term = f" {row.term}" if row.term else ""
        what = f"{purchase_words(row.provider, row.purchase)}{term}, {row.region}: ${row.usd_per_unit.normalize():f}"
        dated = ", ".join(filter(None, [row.source, row.as_of]))
        seen[f"{what} per {row.unit}: {dated} ({rate.price.confidence})"] = None
    yield from seen


def _rates(found: PoolOptions) -> Iterator[Rate]:
    yield from (option.rate for option in found.options)
    for mix in found.mixes:
        if mix.baseline is not None:
            yield mix.baseline.rate
        yield from (share.rate for share in mix.above)


def _marked(words: str, rate: Rate) -> str:
    return words if rate.rankable else words + _APPROXIMATE


def _mix(mix: Mix) -> str:
    """`2 machines reservation 1y, above them 70.0% spot and 30.0% on demand`."""
    names = [(_words(share.rate), share.rate.row.purchase == "spot") for share in mix.above]
    if len(names) == 1:
        flow = names[0][0]
    else:
        flow = " and ".join(
            f"{percent(mix.spot_share if spot else 1 - mix.spot_share)} {words}" for words, spot in names
        )
    if mix.baseline is None:
        return flow
    return f"{plain(mix.baseline.machines)} under {_words(mix.baseline.rate)}, above them {flow}"


def _words(rate: Rate) -> str:
    row = rate.row
    return _marked(f"{purchase_words(row.provider, row.purchase)}{f' {row.term}' if row.term else ''}", rate)


def _amount(amount: Decimal | None) -> str:
    return "days unknown" if amount is None else money(amount)


def _hours(hours: Decimal) -> str:
    return f"{hours:.2f}".rstrip("0").rstrip(".")
