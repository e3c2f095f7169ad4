"""An elastic pool bought in a mix: a reserved baseline, and spot and on-demand machines above it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal

from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.model import HOURS_PER_MONTH, Unbounded, cents
from gpucluster.cost.purchasing.pools import Pool
from gpucluster.cost.purchasing.purchase_options import ways_of
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
    rates = {way: rate_of(book, pool.region, pool.machine, way) for way in ways_of(book, pool.provider, pool.machine)}
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
