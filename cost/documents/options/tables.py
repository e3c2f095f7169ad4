"""Tables of purchase options."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from gpucluster.cost.handlers.whole_machines import plain, purchase_words
from gpucluster.cost.money import money, percent, ranged
from gpucluster.cost.purchasing import Options, PoolOptions
from gpucluster.cost.purchasing.mix import Mix
from gpucluster.cost.purchasing.rate import Rate
from gpucluster.cost.render.document import Table, table

APPROXIMATE: Final = " ~"
"""Mark of a price that is only a second opinion."""


def way_table(found: PoolOptions, options: Options) -> Table:
    """A pool with a single purchase option, a row for each."""
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
                ranged(monthly, found.gap),
                _amount(option.upfront),
                _amount(first if options.days is None else option.by_end),
                _amount(option.contract) if option.contract != 0 else "-",
                _useful(useful, least=option.useful_is_most),
            ]
        )
    return table(heads, rows)


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
    return table(["spot by zone", "as of", "$/h each", "machines $/month", "GPU-hour", "useful GPU-h"], rows)


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
