"""One pool with one purchase option: what to buy, its monthly cost, and when it is paid."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Final

from gpucluster.cost.handlers.reserved_capacity import block_days, block_size
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, cents
from gpucluster.cost.purchasing.pools import Pool
from gpucluster.cost.purchasing.purchase_options import PurchaseOption
from gpucluster.cost.purchasing.rate import NoRate, Rate, Settings, rate_of
from gpucluster.cost.purchasing.spot_interruption import Interruptions, interruption_of, interruptions

_HOURS_PER_YEAR: Final = 12 * HOURS_PER_MONTH


@dataclass(frozen=True, slots=True)
class Bought:
    """The purchase that provides `used` machines: `machines`, for `days` if sold by the day."""

    used: Decimal
    machines: Decimal
    days: Decimal | None = None

    @property
    def idle(self) -> Decimal:
        """Machines that are paid for but unused."""
        return self.machines - self.used


@dataclass(frozen=True, kw_only=True, slots=True)
class Option:
    """A pool bought by one option. Amounts are USD of its machines only, to the cent.

    monthly: amortised cost of a month, whenever it is paid. upfront: paid before the machines start; None if the
        number of days is unknown. then_monthly: paid in each month after that.
    contract: owed in any case, the whole term of a commitment or the fee of a block; 0 without a contract.
    by_end: paid by the end of the machines' duration, None if it is not stated.
    covered: share of the machines under the commitment; the rest is on-demand.
    beats_on_demand: share of a month's hours for which on-demand costs the same; above it this option is cheaper. None
        if it is no commitment, or if on-demand has no price.
    interruptions: of spot, for a pool that works as one.
    """

    way: PurchaseOption
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
        """Whether interruptions have no upper bound, so that the price of an effective GPU-hour is a lower bound."""
        return self.interruptions is not None and self.interruptions.taken.open


def bought(way: PurchaseOption, machines: Decimal, days: Decimal | None) -> Bought:
    """The purchase by this option: blocks have fixed sizes and whole days, calendar reservations whole days."""
    if way.purchase == "capacity_block":
        return Bought(machines, block_size(machines), None if days is None else block_days(days))
    if way.purchase == "dws_calendar":
        return Bought(machines, machines, None if days is None else days.to_integral_value(ROUND_CEILING))
    return Bought(machines, machines)


def option_of(
    book: PriceBook, pool: Pool, way: PurchaseOption, settings: Settings, days: Decimal | None, nodes: Decimal
) -> Option | NoRate:
    """A pool bought by one option. nodes: machines that must run together for a job to run."""
    rate = rate_of(book, pool.region, pool.machine, way)
    return rate if isinstance(rate, NoRate) else option_at(rate, book, pool, way, settings, days, nodes)


def option_at(
    rate: Rate,
    book: PriceBook,
    pool: Pool,
    way: PurchaseOption,
    settings: Settings,
    days: Decimal | None,
    nodes: Decimal,
) -> Option | NoRate:
    """The same at a given rate; NoRate if the uncovered part has no on-demand price."""
    on_demand = rate_of(book, pool.region, pool.machine, PurchaseOption(pool.provider, "on_demand"))
    covered = settings.cover if way.discount else Decimal(1)
    if covered < 1 and isinstance(on_demand, NoRate):
        return NoRate(f"the uncovered rest is on demand: {on_demand.reason}", on_demand.own_row)
    got = bought(way, pool.count.expected, days)
    hourly = got.machines * covered * rate.usd
    rest = Decimal(0) if isinstance(on_demand, NoRate) else got.machines * (1 - covered) * on_demand.usd
    running = HOURS_PER_MONTH if pool.reservation else pool.hours
    hours = HOURS_PER_MONTH if way.all_month else running
    contract = _contract(way, hourly, got)
    upfront = contract if way.purchase == "capacity_block" else contract and contract * way.upfront_share
    paid_hourly = Decimal(0) if way.purchase == "capacity_block" else hourly * (1 - way.upfront_share)
    return Option(
        way=way,
        rate=rate,
        bought=got,
        monthly=cents(hourly * hours + rest * running),
        upfront=None if upfront is None else cents(upfront),
        then_monthly=cents(paid_hourly * hours + rest * running),
        contract=None if contract is None else cents(contract),
        by_end=_by_end(way, upfront, paid_hourly * hours + rest * running, got, days),
        covered=covered,
        beats_on_demand=_beats(way, rate, on_demand),
        interruptions=_interruptions(pool, nodes, settings) if way.purchase == "spot" else None,
    )


def _interruptions(pool: Pool, nodes: Decimal, settings: Settings) -> Interruptions:
    return interruptions(nodes, interruption_of(pool.machine, pool.region.partition("/")[0], settings), settings)


def _contract(way: PurchaseOption, hourly: Decimal, got: Bought) -> Decimal | None:
    """The amount owed in any case; None if the number of days is unknown."""
    if way.years:
        return hourly * _HOURS_PER_YEAR * way.years
    if way.by_the_day:
        return None if got.days is None else hourly * 24 * got.days
    return Decimal(0)


def _by_end(
    way: PurchaseOption, upfront: Decimal | None, paid_monthly: Decimal, got: Bought, days: Decimal | None
) -> Decimal | None:
    if days is None or upfront is None:
        return None
    paid_days = got.days if way.by_the_day and got.days is not None else days
    if way.years:
        paid_days = min(paid_days, way.years * _HOURS_PER_YEAR / 24)
    return cents(upfront + paid_monthly * 24 * paid_days / HOURS_PER_MONTH)


def _beats(way: PurchaseOption, rate: Rate, on_demand: Rate | NoRate) -> Decimal | None:
    if not way.discount or isinstance(on_demand, NoRate) or not on_demand.usd:
        return None
    return rate.usd / on_demand.usd
