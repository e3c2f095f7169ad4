"""Racks that answer a question: machines alone, at the price of the book, since no cluster of them is built yet. Half
racks, where a cloud sells them, are such racks, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    """bought: whole racks, then halves, of one machine. hours: requested. prices: USD per hour of each, None without a
    row.
    """

    bought: tuple[Rack, ...]
    hours: int
    prices: tuple[Price, ...] | None

    @property
    def nodes(self) -> int:
        """Machines of all racks."""
        return sum(one.nodes for one in self.bought)

    @property
    def gpus(self) -> int:
        """Of all racks."""
        return sum(one.rack_gpus for one in self.bought)

    @property
    def way(self) -> str:
        """How each size is bought."""
        return " and ".join(dict.fromkeys(one.way for one in self.bought))

    @property
    def oldest(self) -> Price | None:
        """Of the prices."""
        return min(self.prices or (), key=lambda one: one.row.as_of, default=None)

    @property
    def per_gpu_hour(self) -> Decimal | None:
        """USD."""
        return None if self.prices is None else _usd(self.prices) / self.gpus

    @property
    def total(self) -> Decimal | None:
        """USD of all machines for the requested time, to the cent."""
        return None if self.prices is None else cents(_usd(self.prices) * self.hours)

    def __str__(self) -> str:
        rack = self.bought[0]
        halves = sum(one.is_half for one in self.bought)
        counts = {"rack": len(self.bought) - halves, "half rack": halves}
        racks = " and ".join(f"{many} {noun}{'' if many == 1 else 's'}" for noun, many in counts.items() if many)
        what = f"{rack.cloud}, {racks} of {rack.accelerator.upper()} ({self.nodes} x {rack.machine_type}), {self.way}"
        quota = f"; quota {rack.quota}" if rack.quota else ""
        if self.oldest is None or self.per_gpu_hour is None or self.total is None:
            return f"{what}: not priced, because the price book has no row{quota}"
        place = self.oldest.row.region.rpartition("/")[2]
        return (
            f"{what}, {place}: ${self.per_gpu_hour:.2f} a GPU-hour, {money(self.total)} for {self.gpus:,} GPUs, as of "
            f"{self.oldest.row.as_of}{quota}"
        )


def _usd(prices: Iterable[Price]) -> Decimal:
    return sum((one.usd for one in prices), Decimal())


def rack_offers(question: Question, book: PriceBook) -> Iterator[RackOffer]:
    """What each requested cloud sells of that size, the accelerators in the order of the question: the fewest racks
    that have the requested GPUs. Regions are not applied: a rack has a price in few places, which its text names.
    """
    for accelerator in question.accelerators:
        for sold in _sizes(question, accelerator).values():
            bought: list[Rack] = []
            left = question.gpus
            for rack in sold:  # a smaller one is half of the one before
                number, left = divmod(left, rack.rack_gpus)
                bought += [rack] * number
            if not left:
                prices = [price for one in bought if (price := _price(one, book))]
                priced = tuple(prices) if len(prices) == len(bought) else None
                yield RackOffer(bought=tuple(bought), hours=question.hours, prices=priced)


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
