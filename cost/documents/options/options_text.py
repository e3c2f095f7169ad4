"""Purchase options in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_FLOOR, Decimal
from itertools import takewhile
from typing import Final

from gpucluster.core.documents.document import Table, table
from gpucluster.cost.handlers.whole_machines import plain, purchase_words
from gpucluster.cost.pricing.model import cents
from gpucluster.cost.pricing.money import how_known, money, percent, ranged
from gpucluster.cost.purchasing import Option, Options, PoolOptions
from gpucluster.cost.purchasing.options import Mix, Unpriced
from gpucluster.cost.purchasing.rate import Rate
from gpucluster.cost.purchasing.spot_interruption import Interruptions

APPROXIMATE: Final = " ~"
"""Mark of a price that is only a second opinion."""
_TENTH: Final = Decimal("0.001")
"""A tenth of a percent."""


def pool_heading(found: PoolOptions, options: Options) -> str:
    """The pool in one line."""
    pool = found.pool
    days = "" if options.days is None else f", needed for {plain(options.days)} days"
    count = plain(pool.count.expected) + (" on average" if pool.count.varies else "")
    bought = f"in the plan {purchase_words(pool.provider, pool.purchase)}"
    return f"{pool.name}: {count} x {pool.machine} in {pool.region}, {bought}{days}"


def way_table(found: PoolOptions, options: Options) -> Table:
    """A pool with a single purchase option, a row for each."""
    until = "first month" if options.days is None else f"paid by day {plain(options.days)}"
    amounts = ["$/h each", "stack $/month", "upfront", until, "total commitment", "effective GPU-h"]
    heads = ["purchase option", "bought", *amounts]
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
                ranged(monthly, found.gap),
                _amount(option.upfront),
                _amount(first if options.days is None else option.by_end),
                _amount(option.contract) if option.contract != 0 else "-",
                _useful(useful, least=option.useful_is_most),
            ]
        )
    return table(heads, rows, stacked=(4, 6, 1, 5))


def mix_table(found: PoolOptions) -> Table:
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
    return table(["machines of the pool", "$/month", "floor", "ceiling", "reserved, idle"], rows)


def zone_table(found: PoolOptions) -> Table:
    """Spot zone by zone, cheapest first, Local Zones last, which have few machines and few other services."""
    rows = [
        [
            f"{zone.row.zone}{' (Local Zone)' if _is_local(zone.row.zone) else ''}",
            zone.row.as_of,
            money(zone.row.usd_per_unit),
            money(zone.monthly),
            "none" if zone.per_gpu_hour is None else money(zone.per_gpu_hour),
            _useful(zone.per_useful_gpu_hour, least=zone.useful_is_most),
        ]
        for zone in sorted(found.zones, key=lambda zone: _is_local(zone.row.zone))
    ]
    return table(["spot by zone", "as of", "$/h each", "machines $/month", "GPU-hour", "effective GPU-h"], rows)


def _is_local(zone: str) -> bool:
    """Whether an id is that of an AWS Local Zone: `use1-atl2-az1`, unlike `use1-az1`."""
    return zone.count("-") > 1 and "-az" in zone


def _marked(words: str, rate: Rate) -> str:
    return words if rate.rankable else words + APPROXIMATE


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
    return f"{plain(mix.baseline.machines)} under {_words(mix.baseline.rate)}, above that {flow}"


def _words(rate: Rate) -> str:
    row = rate.row
    return _marked(f"{purchase_words(row.provider, row.purchase)}{f' {row.term}' if row.term else ''}", rate)


def _useful(usd: Decimal | None, *, least: bool) -> str:
    return "none" if usd is None else f"{'at least ' if least else ''}{money(usd)}"


def _amount(amount: Decimal | None) -> str:
    return "days unknown" if amount is None else money(amount)


def remarks(found: PoolOptions, options: Options) -> Iterator[str]:
    """Remarks on the rows; a remark on several options is made once."""
    texts: dict[str, list[str]] = {}
    for option in found.options:
        fitting = found.fitting_of(option)
        for text in [*_remarks_on(option, options), *([] if fitting is None else [fitting_text(fitting, found)])]:
            texts.setdefault(text, []).append(option.way.words)
    for text, ways in texts.items():
        yield f"{', '.join(ways)}: {text}"
    if spare := _spares(found):
        yield spare
    beats = [
        f"{option.way.words} from {percent(option.beats_on_demand)}"
        for option in found.options
        if option.beats_on_demand is not None
    ]
    if beats:
        yield f"cheaper than on demand if the machines run for this share of the term: {', '.join(beats)}"
    if not found.complete and found.options:
        known = how_known(found.rest.expected, found.gap)
        yield f"an effective GPU-hour costs at least that; the rest of the stack is {known}"
    if any(not rate.rankable for rate in _rates(found)):
        yield f"{APPROXIMATE.strip()} only second opinions on this price are known: approximate, never ranked"


def _remarks_on(option: Option, options: Options) -> Iterator[str]:
    bought = option.bought
    if bought.idle:
        idle = money(option.monthly * bought.idle / bought.machines)
        size = f"{plain(bought.used)} machines need a block of {plain(bought.machines)}"
        yield f"{size}, of which {plain(bought.idle)} stay idle: {idle} a month"
    if option.covered < 1:
        yield f"covers {percent(option.covered)} of the machines; the rest is on demand"
    if option.upfront is None:
        yield "sold by the day for an unknown number of days; set --days"
    most = option.way.most_days
    if options.days is not None:
        if bought.days is not None and bought.days != options.days:
            yield f"{plain(options.days)} days are billed as {plain(bought.days)}"
        if most is not None and options.days > most:
            yield f"lasts at most {most} days, but {plain(options.days)} are needed"
    if option.way.remark:
        yield option.way.remark
    if option.rate.remark:
        yield option.rate.remark
    if option.interruptions is not None and option.interruptions.between is not None:
        yield _interrupted(option.interruptions, options)


def _spares(found: PoolOptions) -> str:
    """What the spares of co-located machines cost by each option that is sold by the machine."""
    spares = found.pool.count.expected - found.nodes
    if not found.pool.gang or spares <= 0:
        return ""
    less = [
        f"{money(cents(option.monthly * spares / option.bought.machines))} {option.way.words}"
        for option in found.options
        if option.way.purchase != "capacity_block"
    ]
    machines = f"{plain(spares)} of {plain(found.pool.count.expected)} machines"
    return f"without the spare ({machines}) a month costs less by {', '.join(less)}" if less else ""


def fitting_text(fitting: Option, found: PoolOptions) -> str:
    """The smaller block, its spares, and its price."""
    size, spares = fitting.bought.machines, fitting.bought.used - found.nodes
    before = "" if fitting.upfront is None else f", {money(fitting.upfront)} upfront"
    return (
        f"with {plain(spares) if spares else 'no'} spare{'s' if spares > 1 else ''} a block of {plain(size)} holds the "
        f"{plain(found.nodes)} nodes of a job: {money(found.stack_monthly(fitting))} a month for the stack{before}"
    )


def _interrupted(stop: Interruptions, options: Options) -> str:
    settings = options.settings
    nodes = "1 node" if stop.nodes == 1 else f"{plain(stop.nodes)} nodes"
    more, less, useful = _ends(stop)
    return (
        f"at {stop.taken.text}, {nodes} are interrupted in {percent(stop.per_hour)} of hours{more}; each time "
        f"{_hours(stop.lost)} h are lost: half of the {_hours(settings.checkpoint_hours)} h between checkpoints, and "
        f"{_hours(settings.restart_hours)} h to restart. {less}{percent(useful)} of the paid hours are useful"
    )


def _ends(stop: Interruptions) -> tuple[str, str, Decimal]:
    """Words for interrupted and useful hours at one end of a class; useful hours are never rounded up to all."""
    if stop.taken.open:
        return " or more", "At most ", stop.useful
    if stop.taken.month_most is None:
        return "", "", stop.useful
    return " at the most", "At least ", stop.useful.quantize(_TENTH, ROUND_FLOOR)


def prices(found: PoolOptions) -> Iterator[str]:
    """The source of each price."""
    seen: dict[str, None] = {}
    for rate in _rates(found):
        row = rate.row
        term = f" {row.term}" if row.term else ""
        what = f"{purchase_words(row.provider, row.purchase)}{term}, {row.region}: ${row.usd_per_unit.normalize():f}"
        dated = ", ".join(filter(None, [row.document, row.as_of]))
        seen[f"{what} per {row.unit}: {dated} ({rate.price.confidence})"] = None
    yield from seen


def _rates(found: PoolOptions) -> Iterator[Rate]:
    yield from (option.rate for option in found.options)
    for mix in found.mixes:
        if mix.baseline is not None:
            yield mix.baseline.rate
        yield from (share.rate for share in mix.above)


def _hours(hours: Decimal) -> str:
    return f"{hours:.2f}".rstrip("0").rstrip(".")


def unpriced_text(one: Unpriced, found: PoolOptions, options: Options) -> str:
    """The reason, and the bound if there is one."""
    return "; ".join(filter(None, [one.reason.reason, bound(one, found, options)]))


def unpriced_lines(found: PoolOptions, options: Options, *, reasons: bool) -> Iterator[str]:
    """A line for all options with the same bound, such as six savings plans; one for each option without a bound.

    reasons: also for options whose price the user can add.
    """
    alike: dict[str, list[str]] = {}
    for one in found.not_priced:
        reason = one.reason.reason if reasons or not one.reason.own_row else ""
        alike.setdefault(bound(one, found, options) or reason, []).append(one.words)
    yield from (": ".join(filter(None, [_listed(words), text])) for text, words in alike.items())


def _listed(words: Sequence[str]) -> str:
    """`savings plan 1y; 1y, all upfront; 3y`: the words that all have in common once."""
    if len(words) == 1:
        return words[0]
    alike = takewhile(lambda same: len({*same}) == 1, zip(*map(str.split, words), strict=False))
    common = " ".join(first for first, *_ in alike)
    return "; ".join([words[0], *(text.removeprefix(f"{common} ") for text in words[1:])])


def bound(one: Unpriced, found: PoolOptions, options: Options) -> str:
    """`$31.46 to $125.84 an hour each, ...`: not a price, and never ranked; empty without a bound."""
    if one.ends is None:
        return ""
    low, high = one.ends
    an_hour = f"{money(low.rate.usd)} to {money(high.rate.usd)} an hour each, {low.rate.remark}"
    if not found.options:
        return an_hour
    least = options.with_support(found.gap.low(found.stack_monthly(low)))
    most = found.gap.high(found.stack_monthly(high))
    up_to = (
        f" to {money(options.with_support(most))}" if most is not None and not isinstance(most, str) else " and more"
    )
    return f"{an_hour}: the stack {money(least)}{up_to} a month"
