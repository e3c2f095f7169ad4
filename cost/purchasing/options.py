"""Every purchase option for the GPU machines of a stack, by pool, and mixes for elastic pools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Decimal

from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.machines import machines
from gpucluster.core.program.facts import Terms
from gpucluster.core.program.resources import Resources
from gpucluster.cost.estimate.estimate import Estimate
from gpucluster.cost.prices import PriceBook, PriceRow
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.pricing.bounds import Gap
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, Amounts, Count, Unbounded, cents
from gpucluster.cost.pricing.terms import Support, effective_terms, support_of
from gpucluster.cost.purchasing.pools import Held, Pool, Stack, stack_of
from gpucluster.cost.purchasing.price import Option, bought, option_at, option_of
from gpucluster.cost.purchasing.purchase_options import purchase_options_of
from gpucluster.cost.purchasing.rate import NoRate, Rate, Settings, rate_of


@dataclass(frozen=True, slots=True)
class Share:
    """One part of a mix. machines: running on average; for a baseline the paid ones, used or not."""

    rate: Rate
    machines: Decimal


@dataclass(frozen=True, kw_only=True, slots=True)
class Mix:
    """USD per month of a pool's machines. idle: machines of the baseline that are paid for but unused on average.

    spot_share: of the machines above the baseline.
    """

    baseline: Share | None
    above: tuple[Share, ...]
    spot_share: Decimal
    floor: Decimal
    expected: Decimal
    ceiling: Decimal | Unbounded
    idle: Decimal

    @property
    def rankable(self) -> bool:
        """Whether none of its prices is only a second opinion."""
        return all(share.rate.rankable for share in (*self.above, *([self.baseline] if self.baseline else [])))


def mixes_of(book: PriceBook, pool: Pool, settings: Settings) -> Iterator[Mix | NoRate]:
    """Every baseline with a known price, first without one, each with all, some and none of the rest as spot.

    Raises nothing; each missing rate is reported once.
    """
    rates = {
        way: rate_of(book, pool.region, pool.machine, way)
        for way in purchase_options_of(book, pool.provider, pool.machine)
    }
    yield from dict.fromkeys(rate for rate in rates.values() if isinstance(rate, NoRate))
    known = {way: rate for way, rate in rates.items() if isinstance(rate, Rate)}
    by_hour = {way.purchase: rate for way, rate in known.items() if way.purchase in ("on_demand", "spot", "flex_start")}
    machines = baseline_of(pool, settings)
    baselines = [None, *(Share(rate, machines) for way, rate in known.items() if way.discount and machines)]
    for baseline in baselines:
        for flow in _flows(by_hour, settings.spot_share):
            yield _mix(pool, baseline, flow)


def baseline_of(pool: Pool, settings: Settings) -> Decimal:
    """Machines under a commitment: the setting, else the whole ones that run on average; at most the pool's limit."""
    asked = settings.baseline
    found = pool.count.expected.to_integral_value(ROUND_FLOOR) if asked is None else asked
    return found if isinstance(pool.count.ceiling, str) else min(found, pool.count.ceiling)


_Flow = tuple[tuple[Rate, Decimal], ...]  # rate, share of the machines above the baseline


def _flows(by_hour: dict[str, Rate], spot_share: Decimal) -> Iterator[_Flow]:
    for rate in by_hour.values():
        yield ((rate, Decimal(1)),)
    if "spot" in by_hour and "on_demand" in by_hour and 0 < spot_share < 1:
        yield ((by_hour["spot"], spot_share), (by_hour["on_demand"], 1 - spot_share))


def _mix(pool: Pool, baseline: Share | None, flow: _Flow) -> Mix:
    held = baseline.machines if baseline else Decimal(0)
    fixed = held * baseline.rate.usd if baseline else Decimal(0)
    above_rate = sum((rate.usd * share for rate, share in flow), Decimal(0))

    def monthly(machines: Decimal) -> Decimal:
        return cents(fixed * HOURS_PER_MONTH + max(machines - held, Decimal(0)) * above_rate * pool.hours)

    count = pool.count
    above = max(count.expected - held, Decimal(0))
    return Mix(
        baseline=baseline,
        above=tuple(Share(rate, above * share) for rate, share in flow),
        spot_share=sum((share for rate, share in flow if rate.row.purchase == "spot"), Decimal(0)),
        floor=monthly(count.floor),
        expected=monthly(count.expected),
        ceiling=count.ceiling if isinstance(count.ceiling, str) else monthly(count.ceiling),
        idle=max(held - count.expected, Decimal(0)),
    )


@dataclass(frozen=True, slots=True)
class ZoneSpot:
    """Spot in one zone: its price, USD per month of the pool's machines, per GPU-hour and per effective GPU-hour.

    useful_is_most: as for the pool's spot; if set, the price of an effective GPU-hour is a lower bound.
    """

    row: PriceRow
    monthly: Decimal
    per_gpu_hour: Decimal | None
    per_useful_gpu_hour: Decimal | None
    useful_is_most: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Unpriced:
    """An unpriced purchase option. ends: the pool at the lower and upper bound from other regions, None without
    bounds.
    """

    words: str
    reason: NoRate
    ends: tuple[Option, Option] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolOptions:
    """One pool with every purchase option. `options` for a co-located pool; `mixes` for an elastic one.

    rest: USD per month of everything else in the stack. gap: its gap.
    training_rest, gpus: inputs of the GPU-hour price in addition to the machines, and its GPUs.
    nodes: machines that must run together. not_priced: unpriced options with reason and bounds.
    zones: spot in single zones, cheapest first; none if the book has no zones.
    fitting: the block with only the spares that fit into the size that the other nodes need; None if all fit.
    """

    pool: Pool
    rest: Amounts
    gap: Gap
    training_rest: Decimal
    gpus: Decimal
    nodes: Decimal
    options: tuple[Option, ...]
    mixes: tuple[Mix, ...]
    not_priced: tuple[Unpriced, ...]
    zones: tuple[ZoneSpot, ...]
    fitting: Option | None = None

    @property
    def complete(self) -> bool:
        """Whether everything except the machines is priced."""
        return not self.gap.missing

    @property
    def gpu_hours(self) -> Decimal:
        """Hours per month that its GPUs run."""
        return self.gpus * self.pool.hours

    def fitting_of(self, option: Option) -> Option | None:
        """The smaller block, for the option that is the larger one; None for any other."""
        return self.fitting if self.fitting is not None and self.fitting.way == option.way else None

    def stops_as_one(self, option: Option) -> bool:
        """Whether one machine that the cloud takes back stops all: spot for several that train together, which a spec
        refuses.
        """
        return option.way.purchase == "spot" and self.nodes > 1

    def stack_monthly(self, option: Option) -> Decimal:
        """Expected USD per month of the whole stack with the pool bought by this option."""
        return self.rest.expected + option.monthly

    def per_gpu_hour(self, option: Option) -> Decimal | None:
        """USD per running GPU-hour, to the cent; None without any."""
        return _per_hour(self.training_rest + option.monthly, self.gpu_hours)

    def per_useful_gpu_hour(self, option: Option, settings: Settings) -> Decimal | None:
        """The same per useful hour: utilised, and not lost to interruptions."""
        return _per_hour(self.training_rest + option.monthly, self.gpu_hours * option.useful * settings.utilisation)


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """All pools of a stack, and the values shared by all rows, at list prices. days: duration for which the machines
    are needed.

    support: the plan of the stack's account, which is charged another `account_usd` per month; None excludes support.
    """

    estimate: Estimate
    pools: tuple[PoolOptions, ...]
    held: tuple[Held, ...]
    settings: Settings
    days: Decimal | None
    support: Support | None
    account_usd: Decimal

    def with_support(self, monthly: Decimal) -> Decimal:
        """USD per month of a stack, plus its addition to the account's support plan, if any."""
        return monthly if self.support is None else monthly + self.support.added(monthly, self.account_usd)


def options_of(
    resources: Resources, book: PriceBook, settings: Settings | None = None, assumptions: Assumptions | None = None
) -> Options:
    """The pools of a stack with every purchase option. Raises BadPrices, and UnknownPlan for a support plan."""
    settings = settings or Settings()
    assumptions = assumptions or Assumptions()
    stack = stack_of(resources, book, replace(assumptions, terms={cloud: Terms() for cloud in clouds()}))
    terms = effective_terms(stack.estimate.facts.terms, assumptions.terms)
    agreed = terms.get(stack.pools[0].provider, Terms()) if stack.pools else Terms()
    days = settings.days if settings.days is not None else stack.estimate.facts.duration_days
    return Options(
        estimate=stack.estimate,
        pools=tuple(_pool_options(book, stack, pool, settings, days) for pool in stack.pools),
        held=stack.held,
        settings=settings,
        days=days,
        support=support_of(book, stack.pools[0].provider, agreed.support) if agreed.support else None,
        account_usd=agreed.account_usd,
    )


def _pool_options(book: PriceBook, stack: Stack, pool: Pool, settings: Settings, days: Decimal | None) -> PoolOptions:
    per_machine = machines()[pool.machine].gpus
    training = stack.estimate.facts.training_gpus if pool.gang else None
    gpus = training or pool.gpus
    nodes = min(gpus / per_machine, pool.count.expected) if pool.gang else Decimal(1)
    options: list[Option] = []
    not_priced: list[Unpriced] = []
    elastic = not pool.gang and not pool.reservation
    for way in purchase_options_of(book, pool.provider, pool.machine):
        if pool.reservation and way.purchase != "on_demand" and not way.discount:
            continue  # a reservation of the stack is on demand; only a discount can cover it
        if elastic and way.by_the_day:
            continue  # bought by the day, which is unknown for an elastic pool
        found = option_of(book, pool, way, settings, days, nodes)
        if isinstance(found, NoRate):
            ends = [option_at(rate, book, pool, way, settings, days, nodes) for rate in found.ends or ()]
            known = [end for end in ends if isinstance(end, Option)]
            between = (known[0], known[1]) if len(known) == 2 else None
            not_priced.append(Unpriced(words=way.words, reason=found, ends=between))
        elif not elastic:
            options.append(found)
    mixes = [mix for mix in mixes_of(book, pool, settings) if isinstance(mix, Mix)] if elastic else []
    training_rest = stack.training_rest(pool) if pool.training and not elastic else Decimal(0)
    spot = next((option for option in options if option.way.purchase == "spot"), None)
    block = next((option for option in options if option.way.purchase == "capacity_block"), None)
    rows = book.zones(pool.provider, pool.region, pool.machine, "spot", unit="instance-hour")
    return PoolOptions(
        pool=pool,
        rest=stack.rest(pool),
        gap=stack.gap_without(pool),
        training_rest=training_rest,
        gpus=gpus,
        nodes=nodes,
        options=tuple(options),
        mixes=tuple(mixes),
        not_priced=tuple(not_priced),
        zones=() if spot is None else tuple(_zone(row, pool, spot, training_rest, gpus, settings) for row in rows),
        fitting=None if block is None else _fitting(block, book, pool, settings, days, nodes),
    )


def _fitting(
    block: Option, book: PriceBook, pool: Pool, settings: Settings, days: Decimal | None, nodes: Decimal
) -> Option | None:
    """The block without the spares that need the next size."""
    size = bought(block.way, nodes, days).machines
    if size >= block.bought.used:
        return None
    found = option_at(block.rate, book, replace(pool, count=Count.fixed(size)), block.way, settings, days, nodes)
    return None if isinstance(found, NoRate) else found


def _zone(row: PriceRow, pool: Pool, spot: Option, rest: Decimal, gpus: Decimal, settings: Settings) -> ZoneSpot:
    monthly = cents(row.usd_per_unit * spot.bought.machines * pool.hours)
    hours = gpus * pool.hours
    useful = hours * spot.useful * settings.utilisation
    per_hour, per_useful = _per_hour(rest + monthly, hours), _per_hour(rest + monthly, useful)
    return ZoneSpot(row, monthly, per_hour, per_useful, spot.useful_is_most)


def _per_hour(monthly: Decimal, gpu_hours: Decimal) -> Decimal | None:
    return cents(monthly / gpu_hours) if gpu_hours else None
