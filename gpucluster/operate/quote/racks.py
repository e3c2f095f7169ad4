"""Racks that answer a question: machines alone, at the price of the book, since no cluster of them is built yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from gpucluster.core.catalog.racks import Rack, rack_accelerators, rack_in_words, racks_of
from gpucluster.cost.prices import Price, PriceBook
from gpucluster.cost.pricing.model import cents
from gpucluster.cost.pricing.money import money
from gpucluster.operate.quote.question import Question

UNIT = "rack-hour"
"""Unit in the price book: one whole rack."""


@dataclass(frozen=True, kw_only=True)
class RackOffer:
    """racks: number for the requested GPUs. hours: requested. price: USD per hour of one rack, None without a row."""

    rack: Rack
    racks: int
    hours: int
    price: Price | None

    @property
    def per_gpu_hour(self) -> Decimal | None:
        """USD."""
        return None if self.price is None else self.price.usd / self.rack.rack_gpus

    @property
    def total(self) -> Decimal | None:
        """USD of all machines for the requested time, to the cent."""
        return None if self.price is None else cents(self.price.usd * self.racks * self.hours)

    def __str__(self) -> str:
        rack = self.rack
        nodes = self.racks * rack.nodes
        what = (
            f"{rack.cloud}, {self.racks} rack{'' if self.racks == 1 else 's'} of {rack.accelerator.upper()} "
            f"({nodes} x {rack.machine_type}), {rack.way}"
        )
        quota = f"; quota {rack.quota}" if rack.quota else ""
        if self.price is None or self.per_gpu_hour is None or self.total is None:
            return f"{what}: not priced, because the price book has no row{quota}"
        place = self.price.row.region.rpartition("/")[2]
        return (
            f"{what}, {place}: ${self.per_gpu_hour:.2f} a GPU-hour, {money(self.total)} for "
            f"{self.racks * rack.rack_gpus:,} GPUs, as of {self.price.row.as_of}{quota}"
        )


def rack_offers(question: Question, book: PriceBook) -> Iterator[RackOffer]:
    """What each requested cloud sells, the accelerators in the order of the question. Regions are not applied: a rack
    has a price in few places, which its text names.
    """
    for accelerator in question.accelerators:
        for rack in racks_of(accelerator):
            if rack.cloud in question.clouds:
                yield RackOffer(
                    rack=rack,
                    racks=-(-question.gpus // rack.rack_gpus),
                    hours=question.hours,
                    price=_price(rack, book),
                )


def rack_texts(question: Question) -> list[str]:
    """What one buys, for each requested accelerator that is sold in racks."""
    return [rack_in_words(name) for name in question.accelerators if name in rack_accelerators()]


def _price(rack: Rack, book: PriceBook) -> Price | None:
    if not rack.sku:
        return None
    found = book.lookup(rack.cloud, rack.region, rack.sku, rack.purchase, unit=UNIT)
    return found if isinstance(found, Price) else None
