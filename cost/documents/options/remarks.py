"""Remarks on purchase options, and the sources of their prices."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import ROUND_FLOOR, Decimal
from typing import Final

from gpucluster.cost.documents.options.tables import APPROXIMATE
from gpucluster.cost.handlers.whole_machines import plain, purchase_words
from gpucluster.cost.money import how_known, money, percent
from gpucluster.cost.purchasing import Option, Options, PoolOptions
from gpucluster.cost.purchasing.rate import Rate
from gpucluster.cost.purchasing.spot import Interruptions

_TENTH: Final = Decimal("0.001")
"""A tenth of a percent."""


def remarks(found: PoolOptions, options: Options) -> Iterator[str]:
    """Remarks on the rows; a remark on several options is made once."""
    said: dict[str, list[str]] = {}
    for option in found.options:
        fitting = found.fitting_of(option)
        for text in [*_said(option, options), *([] if fitting is None else [fitting_words(fitting, found)])]:
            said.setdefault(text, []).append(option.way.words)
    for text, ways in said.items():
        yield f"{', '.join(ways)}: {text}"
    beats = [
        f"{option.way.words} from {percent(option.beats_on_demand)}"
        for option in found.options
        if option.beats_on_demand is not None
    ]
    if beats:
        yield f"cheaper than on demand if the machines run for this share of the term: {', '.join(beats)}"
    if not found.complete and found.options:
        known = how_known(found.rest.expected, found.gap)
        yield f"a useful GPU-hour costs at least that; the rest of the stack is {known}"
    if any(not rate.rankable for rate in _rates(found)):
        yield f"{APPROXIMATE.strip()} only second opinions on this price are known: approximate, never ranked"


def _said(option: Option, options: Options) -> Iterator[str]:
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
    if option.way.said:
        yield option.way.said
    if option.rate.said:
        yield option.rate.said
    if option.interruptions is not None and option.interruptions.between is not None:
        yield _interrupted(option.interruptions, options)


def fitting_words(fitting: Option, found: PoolOptions) -> str:
    """The smaller block, its spares, and its price."""
    size, spares = fitting.bought.machines, fitting.bought.used - found.nodes
    before = "" if fitting.upfront is None else f", {money(fitting.upfront)} paid before"
    return (
        f"with {plain(spares) if spares else 'no'} spare{'s' if spares > 1 else ''} a block of {plain(size)} holds the "
        f"{plain(found.nodes)} nodes of a job: {money(found.stack_monthly(fitting))} a month for the stack{before}"
    )


def _interrupted(stop: Interruptions, options: Options) -> str:
    settings = options.settings
    nodes = "1 node" if stop.nodes == 1 else f"{plain(stop.nodes)} nodes"
    more, less, useful = _ends(stop)
    return (
        f"at {stop.taken.said}, {nodes} are interrupted in {percent(stop.per_hour)} of hours{more}; each time "
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
