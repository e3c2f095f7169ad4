"""What a machine costs an hour when it is bought in one way."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from gpucluster.catalog.machines import machines
from gpucluster.catalog.sold import hard_to_get, not_sold
from gpucluster.cost.options.ways import Way
from gpucluster.cost.prices import NotKnown, Price, PriceBook, PriceRow

__all__ = ["NoRate", "Rate", "rate_of"]


@dataclass(frozen=True, slots=True)
class Rate:
    """USD an hour of one machine over what it is bought for, and the price it comes from.

    said: what is known against it, empty where nothing is.
    """

    usd: Decimal
    price: Price
    said: str = ""

    @property
    def row(self) -> PriceRow:
        """The row of the price book behind it."""
        return self.price.row

    @property
    def rankable(self) -> bool:
        """Whether it is more than a second opinion."""
        return self.price.rankable


@dataclass(frozen=True, slots=True)
class NoRate:
    """No price. own_row: what a row of the user's own begins with; empty where the machine is not sold so at all."""

    reason: str
    own_row: str = ""


def rate_of(book: PriceBook, region: str, machine: str, way: Way) -> Rate | NoRate:
    """The rate of a machine type in a region; one that is published by the GPU counts for the machine's GPUs."""
    refused = not_sold(machine, way.purchase)
    if refused is not None:
        return NoRate(refused)
    found = book.lookup(way.provider, region, machine, way.purchase, way.term, unit="instance-hour")
    if isinstance(found, Price):
        return Rate(found.usd, found, hard_to_get(machine, way.purchase))
    by_gpu = book.lookup(way.provider, region, machine, way.purchase, way.term, unit="GPU-hour")
    if isinstance(by_gpu, NotKnown):
        return NoRate(found.reason, found.row)
    return Rate(by_gpu.usd * machines()[machine].gpus, by_gpu, hard_to_get(machine, way.purchase))
