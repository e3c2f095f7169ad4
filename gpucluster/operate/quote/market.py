"""Where and how a machine is sold, by tables: regions and zones, parts of the world, purchase options.

`continents.csv`: a region belongs to the first word with a matching pattern. asked: regions of the word are quoted only
on request, as they need other contracts and other accounts.

`purchase_options.csv`: cloud; way, its usual name; kind, `purchase.kind` of the spec; purchase and term, as in the
price book; reservation, an example of the id that it needs; assume, the assumption that puts all machines under a
commitment; needs, its prerequisites. Sources: those of `cost.purchasing.purchase_options`, which has the terms and
maximum durations of options, and of each cloud's `purchase.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from gpucluster.core.catalog.aws_regions import region_of_zone
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.machines import Machine, machines, zones_of
from gpucluster.core.catalog.tables import read_rows
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.purchasing.purchase_options import PurchaseOption as Sold


@functools.cache
def _table() -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    rows = read_rows("gpucluster/operate/quote/continents.csv")
    return tuple((row["word"], tuple(row["regions"].split()), row["asked"] == "yes") for row in rows)


def continents() -> tuple[str, ...]:
    """The words, in the order of the table."""
    return tuple(word for word, _, _ in _table())


@functools.cache
def continent(region: str) -> str:
    """The word of a region; empty without a match."""
    found = (word for word, patterns, _ in _table() if any(fnmatchcase(region, one) for one in patterns))
    return next(found, "")


def asked_only(word: str) -> bool:
    """Whether its regions are quoted only on request."""
    return any(asked for known, _, asked in _table() if known == word)


def places_of(machine: Machine, book: PriceBook) -> Mapping[str, tuple[str, ...]]:
    """Region -> the zones that list the machine, none if only the region is known.

    Without a list of zones, every region for which its cloud has a price of the machine.
    """
    listed = zones_of(machine.machine_type)
    if not listed:
        return dict.fromkeys(_priced(machine, book), ())
    found: dict[str, tuple[str, ...]] = {}
    for zone in listed:
        region = region_of_zone(zone) or zone.rpartition("-")[0]
        found[region] = (*found.get(region, ()), *(() if zone == region else (zone,)))
    return found


def known_regions(book: PriceBook) -> set[str]:
    """Every region in a table of prices or machines."""
    priced = {row.region for cloud in clouds() for row in book.rows(cloud) if not row.zone}
    return priced | {region for machine in machines().values() for region in places_of(machine, book)}


def _priced(machine: Machine, book: PriceBook) -> Iterable[str]:
    rows = (row for row in (*book.own, *book.rows(machine.cloud)) if row.provider == machine.cloud and not row.zone)
    return dict.fromkeys(row.region for row in rows if row.sku == machine.machine_type)


@dataclass(frozen=True, kw_only=True)
class PurchaseOption:
    """One purchase option; the columns of the table."""

    cloud: str
    words: str
    kind: str
    purchase: str
    term: str
    reservation: str
    assume: str
    needs: str

    @property
    def sized(self) -> bool:
        """Whether it is sold in fixed numbers of machines: capacity blocks of EC2 and Azure, in the same sizes."""
        return self.purchase == "capacity_block"

    def against(self, hours: int) -> str:
        """Why it is not sold for so many hours: its term is longer, or its maximum shorter; empty if it is."""
        sold, days = Sold(self.cloud, self.purchase, self.term), hours / 24
        if days < sold.years * 365:
            return f"commits for {self.term.removesuffix('y')} x 365 days, longer than requested"
        if sold.most_days is not None and days > sold.most_days:
            return f"lasts at most {sold.most_days} days"
        return ""


@functools.cache
def purchase_options_of(cloud: str) -> tuple[PurchaseOption, ...]:
    """Those of a cloud, in the order of the table."""
    return tuple(
        PurchaseOption(
            cloud=row["cloud"],
            words=row["way"],
            kind=row["kind"],
            purchase=row["purchase"],
            term=row["term"],
            reservation=row["reservation"],
            assume=row["assume"],
            needs=row["needs"],
        )
        for row in read_rows("gpucluster/operate/quote/purchase_options.csv")
        if row["cloud"] == cloud
    )
