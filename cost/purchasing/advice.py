"""Advice on purchasing machines: cheaper options and unused capacity."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Final, Literal

from gpucluster.cost.handlers.whole_machines import plain, purchase_words
from gpucluster.cost.pricing.model import HOURS_PER_MONTH
from gpucluster.cost.pricing.money import money, percent
from gpucluster.cost.purchasing import Option, Options, PoolOptions
from gpucluster.cost.purchasing.rate import Rate

Kind = Literal["commitment", "by-the-day", "elastic", "storage-step", "storage-tier"]


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a piece of advice: name with unit, value, and origin."""

    name: str
    value: Decimal
    source: str


@dataclass(frozen=True, slots=True)
class Advice:
    """text: the fact and the change to make. saves: USD per month, or once for the whole duration if `once`; None for a
    threshold. inputs: all inputs of the numbers in the text, in the order in which they appear.
    """

    kind: Kind
    subject: str
    text: str
    saves: Decimal | None
    inputs: tuple[Input, ...]
    once: bool = False


_DAYS_PER_YEAR: Final = 365
"""8,760 hours."""


def machine_advice(options: Options) -> Iterator[Advice]:
    """Advice on every pool of a stack."""
    for found in options.pools:
        by_purchase = {option.way.purchase: option for option in found.options if not option.way.discount}
        on_demand = by_purchase.get("on_demand")
        if on_demand is not None and found.pool.purchase == "on_demand":
            yield from _commitments(found, on_demand, options.days)
            yield from _by_the_day(found, on_demand, options)
        yield from _elastic(found)


def _commitments(found: PoolOptions, on_demand: Option, days: Decimal | None) -> Iterator[Advice]:
    """The use above which a commitment costs less than on-demand; for a shorter duration, advice against it."""
    for option in found.options:
        share = option.beats_on_demand
        if share is None or not option.rate.rankable or share >= 1 or option.contract is None:
            continue
        words, term = option.way.words, option.way.years * _DAYS_PER_YEAR
        text = f"{words} costs less than on demand if the machines run for {percent(share)} of its term or more"
        saves: Decimal | None = on_demand.monthly - option.monthly
        use = min(found.pool.hours / HOURS_PER_MONTH, Decimal(1))
        part = "" if use == 1 else f" at {plain(found.pool.hours)} hours a month"
        inputs = [*_machines(found), _rate(on_demand.rate, "on demand"), _rate(option.rate, words)]
        inputs.append(Input("days of its term", term, words))
        if part:
            inputs.append(Input("running hours a month", found.pool.hours, "hours_per_month"))
        if use < share:
            text += f"; they run {plain(found.pool.hours)} hours a month, {percent(use)} of all, so not here"
            saves = None
        elif days is not None and days * use < share * term:
            from_day = (share / use * term).to_integral_value(ROUND_CEILING)
            text += f", {plain(from_day)} days{part}; the machines are needed for {plain(days)}, so not here"
            saves = None
            inputs.append(_days(days))
        else:
            used = part or " at full use"
            text += f";{used} it saves {money(saves)} a month; the commitment is {money(option.contract)} in total"
        yield Advice("commitment", found.pool.name, text, saves, tuple(inputs))


def _by_the_day(found: PoolOptions, on_demand: Option, options: Options) -> Iterator[Advice]:
    """Options bought for a number of days, if they cost less than on-demand for as long; a block also without the
    spares that need the next size.
    """
    days = options.days
    for whole in found.options:
        fitting = found.fitting_of(whole)
        option = whole if fitting is None else fitting
        most = option.way.most_days
        if days is None or option.by_end is None or on_demand.by_end is None or not option.rate.rankable:
            continue
        if not option.way.by_the_day or option.by_end >= on_demand.by_end or (most is not None and days > most):
            continue
        saves = on_demand.by_end - option.by_end
        spares, instead = "", "on demand"
        if fitting is not None:
            spares = f" of {plain(option.bought.machines)}, with {_spares(option, found)},"
            instead = f"{plain(found.pool.count.expected)} machines on demand"
        yield Advice(
            "by-the-day",
            found.pool.name,
            f"{option.way.words}{spares} for {plain(option.bought.days or days)} days holds the capacity and costs "
            f"{money(option.by_end)}, {money(saves)} less than {instead} for {plain(days)}",
            saves,
            (
                *_machines(found),
                _days(days),
                Input("machines bought", option.bought.machines, option.way.words),
                Input("days bought", option.bought.days or days, option.way.words),
                _rate(on_demand.rate, "on demand"),
                _rate(option.rate, option.way.words),
            ),
            once=True,
        )


def _spares(option: Option, found: PoolOptions) -> str:
    spares = option.bought.used - found.nodes
    return f"{plain(spares)} spare{'s' if spares > 1 else ''}" if spares else "no spare"


def _elastic(found: PoolOptions) -> Iterator[Advice]:
    """An hourly option that costs less than the plan's."""
    alone = {
        mix.above[0].rate.row.purchase: mix
        for mix in found.mixes
        if mix.baseline is None and len(mix.above) == 1 and mix.rankable
    }
    own = alone.pop(found.pool.purchase, None)
    if own is None or not alone:
        return
    purchase, best = min(alone.items(), key=lambda item: item[1].expected)
    if best.expected >= own.expected:
        return
    saves = own.expected - best.expected
    words = purchase_words(found.pool.provider, purchase)
    taken = "; the cloud can reclaim spot machines at any time" if purchase == "spot" else ""
    yield Advice(
        "elastic",
        found.pool.name,
        f"buying it all {words} would cost {money(best.expected)} a month, {money(saves)} less than in the plan{taken}",
        saves,
        (
            Input("machines on average", found.pool.count.expected, "the plan"),
            _rate(own.above[0].rate, "in the plan"),
            _rate(best.above[0].rate, words),
        ),
    )


def _days(days: Decimal) -> Input:
    return Input("days needed", days, "the stack, or --days")


def _machines(found: PoolOptions) -> tuple[Input, ...]:
    return (Input("machines", found.pool.count.expected, "the plan"),)


def _rate(rate: Rate, words: str) -> Input:
    row = rate.row
    return Input(f"USD per machine-hour, {words}", rate.usd, f"{row.document}, {row.as_of} ({rate.price.confidence})")
