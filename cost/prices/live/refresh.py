"""Writes prices into the files of the book: all of them or, on any error, none."""

from __future__ import annotations

import datetime
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Final, Literal

from gpucluster.core.catalog.machines import machines
from gpucluster.cost.prices.book import DamagedBook, PriceBook
from gpucluster.cost.prices.check import check_prices
from gpucluster.cost.prices.files import write_rows
from gpucluster.cost.prices.live.query import Doubt, Offer, Query, Quote, quoted
from gpucluster.cost.prices.live.sources import queries
from gpucluster.cost.prices.row import PriceRow
from gpucluster.errors import Fault

_BAD: Final = ("duplicate", "value", "date")
"""Findings of the book's check that reject a new file."""


class NotWritten(Fault):
    """The book is unchanged; the message gives the reason."""


def write(folder: Path, answers: Iterable[Answer], today: datetime.date) -> list[Path]:
    """Replaces and adds the rows of the answers; returns the changed files. Raises NotWritten.

    New files are written next to the book, read back as a book, and only then replace the old ones.
    """
    book = PriceBook(today=today, folder=folder)
    found = list(answers)
    providers = dict.fromkeys(answer.wanted.provider for answer in found if answer.rows)
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".refresh-") as made:
            new = Path(made)
            shutil.copyfile(folder / "sources.csv", new / "sources.csv")
            for provider in providers:
                rows = _merged(book.rows(provider), [answer for answer in found if answer.wanted.provider == provider])
                _check_kept(book.rows(provider), rows)
                write_rows(new / f"{provider}.csv", rows)
            _check(PriceBook(today=today, folder=new), today)
            written = [(new / f"{provider}.csv").replace(folder / f"{provider}.csv") for provider in providers]
    except OSError as error:
        raise NotWritten(f"{error.filename or folder}: {error.strerror}") from None
    PriceBook.forget()
    return written


def _check_kept(before: Sequence[PriceRow], after: Sequence[PriceRow]) -> None:
    """A refresh replaces prices and adds some: one that the book had never goes."""
    kept = {_priced(row) for row in after}
    gone = [" ".join(filter(None, _priced(row))) for row in before if _priced(row) not in kept]
    if gone:
        raise NotWritten(f"{len(gone)} prices of the book would be gone: {', '.join(dict.fromkeys(gone))}")


def _priced(row: PriceRow) -> tuple[str, str, str, str, str]:
    return row.region, row.sku, row.unit, row.purchase, row.term


def _check(book: PriceBook, today: datetime.date) -> None:
    try:
        rows = [row for provider in book.providers for row in book.rows(provider)]
    except DamagedBook as error:
        raise NotWritten(str(error)) from None
    wrong = [finding.what for finding in check_prices(rows, today) if finding.kind in _BAD]
    if wrong:
        raise NotWritten("\n".join(wrong))


def _merged(rows: Sequence[PriceRow], answers: Sequence[Answer]) -> list[PriceRow]:
    """New rows at the position of the first row that they replace, else at the end."""
    places = {row: answer for answer in answers if answer.rows for row in answer.wanted.rows}
    done: set[int] = set()
    merged: list[PriceRow] = []
    for row in rows:
        answer = places.get(row)
        if answer is None:
            merged.append(row)
        elif id(answer) not in done:
            done.add(id(answer))
            merged.extend(answer.rows)
    return merged + [row for answer in answers if not answer.wanted.rows for row in answer.rows]


CLOUDS: Final = ("aws", "azure", "gcp")
"""Providers with a readable live list."""

_JUMP: Final = Decimal("0.5")
"""Largest accepted change of a price, as a share. A larger one is more often the wrong offer (another purchase
option or unit) than a new price, though large ones happen: AWS took 44 % off p5.48xlarge in June 2025."""
_SPOT_JUMP: Final = Decimal(3)
"""The same for spot, which follows the market: zones of one region differed by up to 2.5 times in late 2025."""
_PLACE: Final = {"aws": r"[a-z]+(-[a-z]+)+-\d|global", "azure": r"[a-z0-9]+", "gcp": r"[a-z]+-[a-z]+\d+|global"}
"""Regions as in the live lists; the book has more: zones, continents, pairs of regions."""
_PLACES: Final = Decimal("1e-10")
"""Decimals of AWS's prices; sums and quotients are rounded to them."""
LISTS: Final = {"aws": "AWS Price List", "azure": "Azure Retail Prices API", "gcp": "Cloud Billing Catalog API"}
"""Prefixes of the sources of refreshed rows."""

Key = tuple[str, str, str, str, str]
Ask = Callable[[str, str, Sequence[str], Sequence[Query]], Iterable[tuple[str, Sequence[Offer]]]]
"""(provider, service, regions, queries) -> (region, its offers), for the regions of the service."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One price to query. rows: the primary rows of the book, none if the book lacks the price."""

    provider: str
    region: str
    query: Query
    rows: tuple[PriceRow, ...]

    def __str__(self) -> str:
        term = f" {self.query.term}" if self.query.term else ""
        return f"{self.provider} {self.region} {self.query.sku} per {self.query.unit}, {self.query.purchase}{term}"


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a live list. rows: new rows for the book, empty if the price is missing or doubtful.

    doubt: why the price is not accepted, empty if it is.
    """

    wanted: Wanted
    rows: tuple[PriceRow, ...] = ()
    doubt: str = ""

    @property
    def kind(self) -> Literal["doubt", "absent", "new", "changed", "same"]:
        """absent: neither the list nor the book has it. new: the book has no primary row of it."""
        if self.doubt:
            return "doubt"
        if not self.rows:
            return "absent"
        if not self.wanted.rows:
            return "new"
        before, after = ([(row.tier, row.usd_per_unit) for row in rows] for rows in (self.wanted.rows, self.rows))
        return "same" if before == after else "changed"


@dataclass
class _Book:
    """The rows of one provider by key."""

    rows: Sequence[PriceRow]
    by_key: dict[Key, list[PriceRow]] = field(default_factory=dict[Key, "list[PriceRow]"])
    places: dict[tuple[str, ...], set[str]] = field(default_factory=dict[tuple[str, ...], set[str]])

    def __post_init__(self) -> None:
        for row in self.rows:
            key = (row.region, row.sku, row.unit, row.purchase, row.term)
            self.by_key.setdefault(key, []).append(row)
            self.places.setdefault(key[1:], set()).add(row.region)

    def regions(self, sku: str, query: Query) -> set[str]:
        return self.places.get(_key("", sku, query)[1:], set())

    def primary(self, key: Key) -> tuple[PriceRow, ...]:
        return tuple(sorted((row for row in self.by_key.get(key, ()) if not row.alt), key=lambda row: row.tier))


def wanted(
    provider: str, rows: Sequence[PriceRow], *, only: Collection[str] = (), regions: Collection[str] = ()
) -> Iterator[Wanted]:
    """Prices to query from the live lists of one cloud.

    Without regions: every key of the book with a query, and items that the book has in no region (machines: those of
    the catalog), for regions with on-demand H100 machines. With regions: everything with a query, in these regions
    only.
    only: these SKUs only.
    """
    book = _Book(rows)
    place, h100 = re.compile(_PLACE[provider]), _h100(provider)
    homes = {
        row.region for row in rows if row.purchase == "on_demand" and row.sku in h100 and place.fullmatch(row.region)
    }
    for query in queries(provider):
        for sku in _skus(provider, query, rows):
            if only and sku not in only:
                continue
            known = {region for region in book.regions(sku, query) if place.fullmatch(region)}
            hoped = homes if not query.is_of_machines or sku in machines() else set[str]()
            for region in sorted(set(regions) or known or hoped):
                one = query.of(sku, region)
                yield Wanted(provider, region, one, book.primary(_key(region, sku, one)))


def not_covered(rows: Iterable[PriceRow], asked: Iterable[Wanted]) -> list[PriceRow]:
    """The primary rows without a live list."""
    covered = {row for one in asked for row in one.rows}
    return [row for row in rows if not row.alt and row not in covered]


def _key(region: str, sku: str, query: Query) -> Key:
    return region, sku, query.unit, query.purchase, query.term


def _skus(provider: str, query: Query, rows: Sequence[PriceRow]) -> list[str]:
    """The SKUs of a query: those of the book if it covers several, and the catalog's machines."""
    if query.is_of_machines:
        return _machines(provider, rows)
    if "*" not in query.sku:
        return [query.sku]
    kept = (row.sku for row in rows if (row.kind, row.unit) == (query.kind, query.unit) and query.names(row.sku))
    return list(dict.fromkeys(kept))


def _machines(provider: str, rows: Sequence[PriceRow]) -> list[str]:
    listed = (row.sku for row in rows if row.kind == "compute")
    return list(dict.fromkeys([*listed, *(name for name, machine in machines().items() if machine.cloud == provider)]))


def _h100(provider: str) -> set[str]:
    return {name for name, machine in machines().items() if machine.cloud == provider and machine.model == "h100"}


def answered(
    asked: Sequence[Wanted], ask: Ask, *, accept: Collection[str] = (), cents: Collection[str] = ()
) -> Iterator[Answer]:
    """An answer for every wanted price, one service at a time. accept: SKUs whose price may change by any amount.

    cents: providers whose machine prices are rounded to the cent. Raises SourceFailed if a list cannot be read.
    """
    services = dict.fromkeys((item.provider, item.query.service) for item in asked)
    for provider, service in services:
        here = [item for item in asked if (item.provider, item.query.service) == (provider, service)]
        regions = list(dict.fromkeys(item.region for item in here))
        shared = list(dict.fromkeys(item.query for item in here))
        offers: Mapping[str, Sequence[Offer]] = dict(ask(provider, service, regions, shared))
        for item in here:
            yield _answer(item, offers.get(item.region), accept, to_the_cent=provider in cents)


def _answer(item: Wanted, offers: Sequence[Offer] | None, accept: Collection[str], *, to_the_cent: bool) -> Answer:
    try:
        quote = None if offers is None else quoted(item.query, offers)
        if quote is not None:
            answer = Answer(item, tuple(_rows(item, quote, to_the_cent=to_the_cent)))
            _calm(answer, accept)
            return answer
    except Doubt as doubt:
        return Answer(item, doubt=str(doubt))
    if not item.rows:
        return Answer(item)
    if offers is None:
        return Answer(item, doubt=f"{item.query.service} is not sold there")
    return Answer(item, doubt=f"nothing matches {' + '.join(map(str, item.query.parts))}")


def _calm(answer: Answer, accept: Collection[str]) -> None:
    """Raises Doubt if a price has changed so much that it may belong to another item."""
    before, after = answer.wanted.rows, answer.rows
    if answer.wanted.query.sku in accept or not before or len(before) != len(after):
        return
    most = _SPOT_JUMP if answer.wanted.query.purchase == "spot" else _JUMP
    for old, new in zip(before, after, strict=True):
        if old.usd_per_unit and abs(new.usd_per_unit / old.usd_per_unit - 1) > most:
            apart = new.usd_per_unit / old.usd_per_unit - 1
            raise Doubt(
                f"${old.usd_per_unit:f} ({old.as_of}) would become ${new.usd_per_unit:f}, {apart:+.0%}: too large to "
                f"accept without a check; --accept {answer.wanted.query.sku} accepts it"
            )


def _rows(item: Wanted, quote: Quote, *, to_the_cent: bool) -> Iterator[PriceRow]:
    query, offers = item.query, quote.offers
    graduated = query.tiers == "all" and len(quote.tiers) > 1
    starts = [start for start, _ in quote.tiers]
    first = 1 if all(usd for _, usd in quote.tiers) else 0  # the book calls a free first tier `tier 0`
    for number, (start, usd) in enumerate(quote.tiers):
        cent = to_the_cent and query.unit == "instance-hour" and len(offers) > 1 and usd >= 1
        rounded = usd.quantize(Decimal("0.01"), ROUND_HALF_UP) if cent else usd.quantize(_PLACES).normalize()
        notes: list[str] = []
        if graduated:
            until = starts[number + 1] if number + 1 < len(starts) else None
            notes.append(f"tier {number + first}: {_span(start, until, query.unit)}")
        if len(offers) > 1:
            notes.append(f"sum of {len(offers)} SKUs{f', exactly {usd.normalize():f}' if cent else ''}")
        notes += [row.worldwide for row in item.rows[:1] if row.worldwide]
        yield PriceRow(
            provider=item.provider, region=item.region, sku=query.sku, kind=query.kind, unit=query.unit,
            purchase=query.purchase, term=query.term, usd_per_unit=Decimal(f"{rounded:f}"),
            as_of=min(offer.as_of for offer in offers),
            source=f"{LISTS[item.provider]}, {query.service}: {', '.join(offer.id for offer in offers)}",
            note="; ".join(notes), basis="official",
        )  # fmt: skip


def _span(start: Decimal, until: Decimal | None, unit: str) -> str:
    if until is None:
        return f"over {start:,f} {unit}"
    return f"{start:,f} to {until:,f} {unit}" if start else f"first {until:,f} {unit}"
