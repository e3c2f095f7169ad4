"""Racks that answer a question: machines alone, at the price of the book, since no cluster of them is built yet. Half
racks, where a cloud sells them, are such racks, too.
"""

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
"""Unit in the price book: all machines of the rack or the half."""


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
        nodes, noun = self.racks * rack.nodes, "half rack" if rack.is_half else "rack"
        what = (
            f"{rack.cloud}, {self.racks} {noun}{'' if self.racks == 1 else 's'} of {rack.accelerator.upper()} "
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
    """What each requested cloud sells of that size, the accelerators in the order of the question: the largest racks of
    which a whole number has the requested GPUs. Regions are not applied: a rack has a price in few places, which its
    text names.
    """
    for accelerator in question.accelerators:
        for sold in _sizes(question, accelerator).values():
            for rack in [one for one in sold if question.gpus % one.rack_gpus == 0][:1]:
                racks = question.gpus // rack.rack_gpus
                yield RackOffer(rack=rack, racks=racks, hours=question.hours, price=_price(rack, book))


def rack_texts(question: Question) -> list[str]:
    """What one buys, for each requested accelerator that is sold in racks, and which clouds sell none of that size."""
    named = [name for name in question.accelerators if name in rack_accelerators()]
    return [*map(rack_in_words, named), *(text for name in named for text in _of_other_sizes(question, name))]


def _sizes(question: Question, accelerator: str) -> dict[str, list[Rack]]:
    """Requested cloud -> the racks that it sells."""
    found: dict[str, list[Rack]] = {}
    for rack in racks_of(accelerator):
        if rack.cloud in question.clouds:
            found.setdefault(rack.cloud, []).append(rack)
    return found


def _of_other_sizes(question: Question, accelerator: str) -> Iterator[str]:
    for cloud, sold in _sizes(question, accelerator).items():
        least = sold[-1].rack_gpus
        if question.gpus % least:
            yield f"{cloud} sells {accelerator.upper()} in racks of {least} GPUs: {question.gpus} is no multiple"


def _price(rack: Rack, book: PriceBook) -> Price | None:
    if not rack.sku:
        return None
    found = book.lookup(rack.cloud, rack.region, rack.sku, rack.purchase, unit=UNIT)
    return found if isinstance(found, Price) else None
