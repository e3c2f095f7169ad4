"""Lines of network disks, for all clouds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Protocol

from gpucluster.cost.handlers.usage_lines import of_other_tier
from gpucluster.cost.handlers.whole_machines import plain
from gpucluster.cost.pricing.model import CostLine, Count
from gpucluster.cost.pricing.pricing import Pricing, as_number

LATER: Final = ", later tiers"
"""End of a price book name for units beyond the first tier, whose price is not in it."""

_SHORT_UNITS: Final = {"GiB-month": "GiB", "IOPS-month": "IOPS", "MiBps-month": "MiB/s", "disk-month": "disk"}


@dataclass(frozen=True)
class ProvisionedDisk:
    """One disk: its type, GiB, and declared IOPS and MiB/s; None if not declared."""

    kind: str
    gib: Decimal
    iops: Decimal | None = None
    mibps: Decimal | None = None

    def above(self, sku: str, *, iops: int, mibps: int) -> Iterator[tuple[str, str, str, Decimal]]:
        """Billed performance above that included in the price, in the form of `BilledDisk.billed`."""
        if self.iops is not None and self.iops > iops:
            yield f": IOPS above {iops}", f"{sku}-iops", "IOPS-month", self.iops - iops
        if self.mibps is not None and self.mibps > mibps:
            yield f": MiB/s above {mibps}", f"{sku}-throughput", "MiBps-month", self.mibps - mibps


class BilledDisk(Protocol):
    """A disk with its billed properties."""

    @property
    def kind(self) -> str:
        """Its type, as the cloud names it."""
        ...

    def billed(self) -> Iterable[tuple[str, str, str, Decimal]]:
        """(words, price book name, unit, units of one disk) of everything that is billed."""
        ...


def disk_lines(
    item: Pricing, disk: BilledDisk, count: Count, *, what: str, region: str, assumption: str = ""
) -> Iterator[CostLine]:
    """Storage, IOPS and throughput of `count` equal disks; `what` names them, e.g. `root disks`."""
    for words, sku, unit, each in disk.billed():
        units, price = count.times(each), item.price(sku.removesuffix(LATER), unit, region=region)
        if sku.endswith(LATER):
            price = of_other_tier(price, f"{what}, {disk.kind}{words}: the price book has the price of the first tier")
        yield item.line(
            f"{what}, {disk.kind}{words}",
            units.expected,
            price,
            basis=f"{plain(count.expected)} x {plain(each)} {_SHORT_UNITS[unit]}",
            assumption=assumption,
            floor=units.floor,
            ceiling=units.ceiling,
        )


def optional_number(item: Pricing, *path: str | int) -> Decimal | None:
    """A number that may be absent."""
    value = item.get(*path)
    return None if value is None else as_number(value, ".".join(map(str, path)))
