"""One pool under one way to buy: what has to be bought, what it costs by the month, and when it is paid."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpucluster.cost.handlers.reserved_capacity import block_days, block_size
from gpucluster.cost.model import HOURS_PER_MONTH, cents
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.purchasing.pools import Pool
from gpucluster.cost.purchasing.rate import NoRate, Rate, rate_of
from gpucluster.cost.purchasing.settings import Settings
from gpucluster.cost.purchasing.spot import Interruptions, interruptions
from gpucluster.cost.purchasing.taken_back import taken_back
from gpucluster.cost.purchasing.ways import Way

_HOURS_PER_YEAR: Final = 12 * HOURS_PER_MONTH


@dataclass(frozen=True, slots=True)
class Bought:
    """What has to be bought to have `used` machines: `machines`, for `days` where it is sold by the day."""

    used: Decimal
    machines: Decimal
    days: Decimal | None = None

    @property
    def idle(self) -> Decimal:
        """Machines that are paid for and not used."""
        return self.machines - self.used


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """A pool bought in one way. Amounts are USD of its machines alone, to the cent.

    monthly: amortised, what a month of it costs whenever it is paid. upfront: paid before the machines start; None
        where the days it is bought for are not known. then_monthly: paid in each month after that.
    contract: owed whatever happens, the whole term of a commitment or the fee of a block; 0 where nothing binds.
    by_end: paid by the end of the days that the machines are wanted for, None when nothing says how many.
    covered: share of the machines under the commitment; the rest is on demand.
    beats_on_demand: share of a month's hours on demand that cost as much; more hours make this way cheaper. None
        where it is no commitment, or on demand has no price.
    interruptions: of spot, for a pool that works as one.
    """

    way: Way
    rate: Rate
    bought: Bought
    monthly: Decimal
    upfront: Decimal | None
    then_monthly: Decimal
    contract: Decimal | None
    by_end: Decimal | None
    covered: Decimal = Decimal(1)
    beats_on_demand: Decimal | None = None
    interruptions: Interruptions | None = None

    @property
    def useful(self) -> Decimal:
        """Share of the paid hours that interruptions leave."""
        return Decimal(1) if self.interruptions is None else self.interruptions.useful

    @property
    def useful_is_most(self) -> bool:
        """Whether interruptions may leave less by any amount, so that a useful GPU-hour costs at least that."""
        return self.interruptions is not None and self.interruptions.taken.open


def bought(way: Way, machines: Decimal, days: Decimal | None) -> Bought:
    """What has to be bought in this way: blocks come in sizes and whole days, calendar reservations in whole days."""
    if way.purchase == "capacity_block":
        return Bought(machines, block_size(machines), None if days is None else block_days(days))
    if way.purchase == "dws_calendar":
        return Bought(machines, machines, None if days is None else days.to_integral_value(ROUND_CEILING))
    return Bought(machines, machines)


def option_of(
    book: PriceBook, pool: Pool, way: Way, settings: Settings, days: Decimal | None, nodes: Decimal
) -> Option | NoRate:
    """A pool bought in one way. nodes: machines that have to run together for a job to run."""
    rate = rate_of(book, pool.region, pool.machine, way)
    return rate if isinstance(rate, NoRate) else option_at(rate, book, pool, way, settings, days, nodes)


def option_at(
    rate: Rate, book: PriceBook, pool: Pool, way: Way, settings: Settings, days: Decimal | None, nodes: Decimal
) -> Option | NoRate:
    """The same at a rate; NoRate where what is not covered has no price on demand."""
    on_demand = rate_of(book, pool.region, pool.machine, Way(pool.provider, "on_demand"))
    covered = settings.cover if way.discount else Decimal(1)
    if covered < 1 and isinstance(on_demand, NoRate):
        return NoRate(f"the uncovered rest is on demand: {on_demand.reason}", on_demand.own_row)
    got = bought(way, pool.count.expected, days)
    hourly = got.machines * covered * rate.usd
    rest = Decimal(0) if isinstance(on_demand, NoRate) else got.machines * (1 - covered) * on_demand.usd
    contract = _contract(way, hourly, got)
    upfront = contract if way.purchase == "capacity_block" else contract and contract * way.upfront_share
    paid_hourly = Decimal(0) if way.purchase == "capacity_block" else hourly * (1 - way.upfront_share)
    return Option(
        way=way,
        rate=rate,
        bought=got,
        monthly=cents((hourly + rest) * HOURS_PER_MONTH),
        upfront=None if upfront is None else cents(upfront),
        then_monthly=cents((paid_hourly + rest) * HOURS_PER_MONTH),
        contract=None if contract is None else cents(contract),
        by_end=_by_end(way, upfront, paid_hourly + rest, got, days),
        covered=covered,
        beats_on_demand=_beats(way, rate, on_demand),
        interruptions=_interruptions(pool, nodes, settings) if way.purchase == "spot" else None,
    )


def _interruptions(pool: Pool, nodes: Decimal, settings: Settings) -> Interruptions:
    return interruptions(nodes, taken_back(pool.machine, pool.region.partition("/")[0], settings), settings)


def _contract(way: Way, hourly: Decimal, got: Bought) -> Decimal | None:
    """What is owed whatever happens; None where the days are not known."""
    if way.years:
        return hourly * _HOURS_PER_YEAR * way.years
    if way.by_the_day:
        return None if got.days is None else hourly * 24 * got.days
    return Decimal(0)


def _by_end(
    way: Way, upfront: Decimal | None, paid_hourly: Decimal, got: Bought, days: Decimal | None
) -> Decimal | None:
    if days is None or upfront is None:
        return None
    paid_days = got.days if way.by_the_day and got.days is not None else days
    if way.years:
        paid_days = min(paid_days, way.years * _HOURS_PER_YEAR / 24)
    return cents(upfront + paid_hourly * 24 * paid_days)


def _beats(way: Way, rate: Rate, on_demand: Rate | NoRate) -> Decimal | None:
    if not way.discount or isinstance(on_demand, NoRate) or not on_demand.usd:
        return None
    return rate.usd / on_demand.usd
