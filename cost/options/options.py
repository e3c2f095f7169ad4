"""Every way to buy the GPU machines of a stack, pool by pool."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from gpucluster.catalog.machines import machines
from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.estimate import Estimate
from gpucluster.cost.model import HOURS_PER_MONTH, Amounts, cents
from gpucluster.cost.options.mix import Mix, mixes_of
from gpucluster.cost.options.pools import Held, Pool, Stack, stack_of
from gpucluster.cost.options.price import Option, option_of
from gpucluster.cost.options.rate import NoRate
from gpucluster.cost.options.settings import Settings
from gpucluster.cost.options.support import Support, support_of
from gpucluster.cost.options.ways import ways_of
from gpucluster.cost.prices import PriceBook, PriceRow
from gpucluster.program.resources import Resources

__all__ = ["Options", "PoolOptions", "ZoneSpot", "options_of"]


@dataclass(frozen=True, slots=True)
class ZoneSpot:
    """Spot in one zone: its price, USD a month of the pool's machines, of a GPU-hour and of a useful one."""

    row: PriceRow
    monthly: Decimal
    per_gpu_hour: Decimal | None
    per_useful_gpu_hour: Decimal | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolOptions:
    """One pool under every way to buy. Of a pool that works as one, `options`; of an elastic one, `mixes`.

    rest: USD a month of everything else in the stack. complete: whether all of that has a price.
    training_rest, gpus: what the price of a GPU-hour is made of besides the machines, and its GPUs.
    nodes: machines that have to run together. not_priced: ways without a price, and why.
    zones: spot in single zones, the least first; none where the book has no zones.
    """

    pool: Pool
    rest: Amounts
    complete: bool
    training_rest: Decimal
    gpus: Decimal
    nodes: Decimal
    options: tuple[Option, ...]
    mixes: tuple[Mix, ...]
    not_priced: tuple[tuple[str, NoRate], ...]
    zones: tuple[ZoneSpot, ...]

    def stack_monthly(self, option: Option) -> Decimal:
        """USD a month of the whole stack, as expected, with the pool bought in this way."""
        return self.rest.expected + option.monthly

    def per_gpu_hour(self, option: Option) -> Decimal | None:
        """USD of one GPU-hour, to the cent; None where no GPU is there."""
        return _per_hour(self.training_rest + option.monthly, self.gpus)

    def per_useful_gpu_hour(self, option: Option, settings: Settings) -> Decimal | None:
        """The same for an hour that someone gets something of: utilised, and not lost to interruptions."""
        return _per_hour(self.training_rest + option.monthly, self.gpus * option.useful * settings.utilisation)


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """All pools of a stack, and what is the same in every row. days: that the machines are wanted for."""

    estimate: Estimate
    pools: tuple[PoolOptions, ...]
    held: tuple[Held, ...]
    settings: Settings
    days: Decimal | None
    support: Support | None

    def with_support(self, monthly: Decimal) -> Decimal:
        """USD a month of a stack, with what it adds to the account's support where both are known."""
        account = self.settings.account_spend
        return monthly if self.support is None or account is None else monthly + self.support.added(monthly, account)


def options_of(
    resources: Resources, book: PriceBook, settings: Settings | None = None, assumptions: Assumptions | None = None
) -> Options:
    """The pools of a stack under every way to buy. Raises BadPrices, and UnknownPlan for a plan of support."""
    settings = settings or Settings()
    stack = stack_of(resources, book, assumptions or Assumptions())
    days = settings.days if settings.days is not None else stack.estimate.facts.duration_days
    support = None
    if settings.support and settings.account_spend is not None and stack.pools:
        support = support_of(book, stack.pools[0].provider, settings.support)
    return Options(
        estimate=stack.estimate,
        pools=tuple(_pool_options(book, stack, pool, settings, days) for pool in stack.pools),
        held=stack.held,
        settings=settings,
        days=days,
        support=support,
    )


def _pool_options(book: PriceBook, stack: Stack, pool: Pool, settings: Settings, days: Decimal | None) -> PoolOptions:
    per_machine = machines()[pool.machine].gpus
    training = stack.estimate.facts.training_gpus if pool.gang else None
    gpus = training or pool.gpus
    nodes = min(gpus / per_machine, pool.count.expected) if pool.gang else Decimal(1)
    options: list[Option] = []
    not_priced: list[tuple[str, NoRate]] = []
    elastic = not pool.gang and not pool.reservation
    for way in ways_of(book, pool.provider, pool.machine):
        if pool.reservation and way.purchase != "on_demand" and not way.discount:
            continue  # a reservation of the stack is on demand; only a discount can cover it
        if elastic and way.by_the_day:
            continue  # bought for days that nobody can tell of a pool that comes and goes
        found = option_of(book, pool, way, settings, days, nodes)
        if isinstance(found, NoRate):
            not_priced.append((way.words, found))
        elif not elastic:
            options.append(found)
    mixes = [mix for mix in mixes_of(book, pool, settings) if isinstance(mix, Mix)] if elastic else []
    training_rest = stack.training_rest(pool) if pool.training and not elastic else Decimal(0)
    spot = next((option for option in options if option.way.purchase == "spot"), None)
    rows = book.zones(pool.provider, pool.region, pool.machine, "spot", unit="instance-hour")
    return PoolOptions(
        pool=pool,
        rest=stack.rest(pool),
        complete=stack.complete_without(pool),
        training_rest=training_rest,
        gpus=gpus,
        nodes=nodes,
        options=tuple(options),
        mixes=tuple(mixes),
        not_priced=tuple(not_priced),
        zones=() if spot is None else tuple(_zone(row, spot, training_rest, gpus, settings) for row in rows),
    )


def _zone(row: PriceRow, spot: Option, rest: Decimal, gpus: Decimal, settings: Settings) -> ZoneSpot:
    monthly = cents(row.usd_per_unit * spot.bought.machines * HOURS_PER_MONTH)
    useful = gpus * spot.useful * settings.utilisation
    return ZoneSpot(row, monthly, _per_hour(rest + monthly, gpus), _per_hour(rest + monthly, useful))


def _per_hour(monthly: Decimal, gpus: Decimal) -> Decimal | None:
    return cents(monthly / HOURS_PER_MONTH / gpus) if gpus else None
