"""Lines of network disks, whatever the cloud."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final, Protocol

from cost.handlers.whole_machines import plain
from cost.model import CostLine, Count
from cost.subject import Subject

__all__ = ["BilledDisk", "disk_lines", "optional_number"]

_SHORT_UNITS: Final = {"GiB-month": "GiB", "IOPS-month": "IOPS", "MiBps-month": "MiB/s", "disk-month": "disk"}


class BilledDisk(Protocol):
    """A disk that knows what of it is billed."""

    @property
    def kind(self) -> str:
        """Its type in the words of the cloud."""
        ...

    def billed(self) -> Iterable[tuple[str, str, str, Decimal]]:
        """(words, price book name, unit, units of one disk) of everything that is billed."""
        ...


def disk_lines(
    ask: Subject, disk: BilledDisk, count: Count, *, what: str, region: str, assumption: str = ""
) -> Iterator[CostLine]:
    """Storage, IOPS and throughput of `count` equal disks; `what` names them, e.g. `root disks`."""
    for words, sku, unit, each in disk.billed():
        units = count.times(each)
        yield ask.line(
            f"{what}, {disk.kind}{words}",
            units.expected,
            ask.price(sku, unit, region=region),
            basis=f"{plain(count.expected)} x {plain(each)} {_SHORT_UNITS[unit]}",
            assumption=assumption,
            floor=units.floor,
            ceiling=units.ceiling,
        )


def optional_number(ask: Subject, *path: str | int) -> Decimal | None:
    """A number that may be absent."""
    return None if ask.get(*path) is None else ask.number(*path)
