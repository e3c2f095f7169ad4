"""Machines that a stack pays for, of which commitments of the billing account cover a share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.catalog.machines import machines
from gpucluster.cost.handlers.named import or_named
from gpucluster.cost.handlers.whole_machines import machine_hours, machine_price
from gpucluster.cost.model import CostLine, Count, NotPriced
from gpucluster.cost.pricing import Pricing


@dataclass(frozen=True)
class Cover:
    """One kind of commitment: the assumption that says its share, how it is bought, for how long, and its name."""

    assumption: str
    purchase: str
    term: str
    words: str


def bought(
    item: Pricing,
    machine: str,
    count: Count,
    purchase: str,
    covers: Sequence[Cover],
    *,
    region: str,
    autoscaled: bool = False,
    assumption: str = "",
) -> Iterator[CostLine | NotPriced]:
    """Machines by the way they are bought; of on-demand GPU machines the shares that are covered by themselves.

    The shares are assumptions: commitments belong to a billing account, not to a stack. A share without a price is
    named, and the rest is priced all the same. Raises CannotPrice when the price of the rest is not known.
    """
    rest = Decimal(1)
    if purchase == "on_demand" and machine in machines():
        for cover in covers:
            share: Decimal = getattr(item.assumptions, cover.assumption)
            if share:
                lines = _covered(item, machine, count, cover, share, region=region, autoscaled=autoscaled)
                yield from or_named(item, lines, compute=True)
                rest -= share
    if not rest:
        return
    price = machine_price(item, machine, purchase, region=region)
    yield machine_hours(item, machine, count.times(rest), price, autoscaled=autoscaled, assumption=assumption)


def _covered(
    item: Pricing, machine: str, count: Count, cover: Cover, share: Decimal, *, region: str, autoscaled: bool
) -> Iterator[CostLine]:
    said = f"{cover.assumption}: {share:f} of on-demand GPU machines are under {cover.words} of {cover.term}"
    price = machine_price(item, machine, cover.purchase, cover.term, region=region)
    yield machine_hours(item, machine, count.times(share), price, autoscaled=autoscaled, assumption=said)
