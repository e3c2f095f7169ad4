"""`python -m tools.prices.widths`: hides each price of the book in turn and measures its bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from statistics import median

import click
from rich.console import Console
from rich.table import Table

from gpucluster.core.catalog.clouds import clouds
from gpucluster.cost.prices import Bound, NotKnown, Price, PriceBook, PriceRow
from gpucluster.cost.prices.bounds import MACHINE
from gpucluster.cost.prices.lookup import price_or_bound


class Without(PriceBook):
    """A book without one price, in every source that has it."""

    def __init__(self, book: PriceBook, hidden: PriceRow) -> None:
        super().__init__(today=book.today, folder=book.folder)
        self._book = book
        self._hidden = _place(hidden)

    def _left(self, rows: Iterable[PriceRow]) -> list[PriceRow]:
        return [row for row in rows if _place(row) != self._hidden]

    def of_sku(self, provider: str, sku: str) -> list[PriceRow]:
        return self._left(self._book.of_sku(provider, sku))

    def of_family(self, provider: str, sku: str) -> list[PriceRow]:
        return self._left(self._book.of_family(provider, sku))

    def in_region(self, provider: str, region: str) -> list[PriceRow]:
        return self._left(self._book.in_region(provider, region))

    def lookup(
        self, provider: str, region: str, sku: str, purchase: str = "on_demand", term: str = "", *, unit: str
    ) -> Price | NotKnown:
        found = self._book.lookup(provider, region, sku, purchase, term, unit=unit)
        return NotKnown("hidden", "") if isinstance(found, Price) and _place(found.row) == self._hidden else found


def _place(row: PriceRow) -> tuple[str, ...]:
    return row.sku, row.purchase, row.term, row.unit, row.region


@dataclass(frozen=True)
class Hidden:
    """A price of the book, and the bound without it; None without any."""

    row: PriceRow
    bound: Bound | None

    @property
    def holds(self) -> bool:
        """Whether the price lies within its bound."""
        return self.bound is not None and self.bound.least <= self.row.usd_per_unit <= self.bound.most


def hidden(book: PriceBook, cloud: str, every: int = 1) -> Iterator[Hidden]:
    """Each price of a cloud, or every n-th, with its bound; without zones, second opinions, later and free tiers."""
    rows = [row for row in book.rows(cloud) if not row.alt and not row.zone and row.tier < 2 and row.usd_per_unit]
    for row in rows[::every]:
        book_without = Without(book, row)
        found = price_or_bound(book_without, cloud, row.region, row.sku, row.purchase, row.term, unit=row.unit)
        unknown = found.instead_of if isinstance(found, Price) else None
        yield Hidden(row, None if unknown is None else unknown.bound)


@dataclass(frozen=True)
class Measure:
    """prices: number of them. bounded: those with a bound. median, tenth: width of the median bound, and of that which
    a tenth of them exceeds. inside: share of the bounds that contain the price.
    """

    prices: int
    bounded: int
    median: Decimal
    tenth: Decimal
    inside: Decimal


def measure(found: Sequence[Hidden]) -> Measure:
    """The widths of several prices."""
    widths = sorted(one.bound.width for one in found if one.bound is not None)
    if not widths:
        return Measure(len(found), 0, Decimal(0), Decimal(0), Decimal(0))
    held = sum(one.holds for one in found)
    return Measure(len(found), len(widths), median(widths), widths[len(widths) * 9 // 10], held / Decimal(len(widths)))


def _machines(one: Hidden) -> bool:
    return one.row.unit == MACHINE


def _kind(one: Hidden) -> tuple[str, str, str]:
    return "machines" if _machines(one) else "others", one.row.provider, one.row.purchase


@click.command()
@click.option("--misses", is_flag=True, help="List the prices outside their bounds.")
def main(*, misses: bool) -> None:
    """Print how wide the bounds of unknown prices are (most / least), and how many contain the price.

    Exit code 1: the median of machines exceeds 1.3, or under 99 % lie within.
    """
    book = PriceBook()
    found = sorted((one for cloud in clouds() for one in hidden(book, cloud)), key=_kind)
    table = Table(
        "prices", "cloud", "purchase", *("number", "bounded", "median width", "tenth above", "inside"), box=None
    )
    for (what, cloud, purchase), group in groupby(found, _kind):
        table.add_row(what, cloud, purchase, *_cells(measure([*group])))
    machines = measure([one for one in found if _machines(one)])
    table.add_row("machines", "all", "all", *_cells(machines))
    table.add_row("others", "all", "all", *_cells(measure([one for one in found if not _machines(one)])))
    console = Console()
    console.print(table)
    for one in found if misses else ():
        if one.bound is not None and not one.holds:
            console.print(f"{' '.join(_place(one.row))}: {one.row.usd_per_unit} {one.bound}", soft_wrap=True)
    if machines.median > Decimal("1.3") or machines.inside < Decimal("0.99"):
        raise SystemExit(1)


def _cells(found: Measure) -> tuple[str, ...]:
    return (
        f"{found.prices:,}", f"{found.bounded:,}", f"{found.median:.2f}", f"{found.tenth:.2f}", f"{found.inside:.1%}",
    )  # fmt: skip


if __name__ == "__main__":
    main()
