"""`gpucluster cost prices show` and `gpucluster cost prices check`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Sequence
from typing import TextIO

import click

from gpucluster.cost.commands.options import prices as own_prices
from gpucluster.cost.documents.forms.formats import write
from gpucluster.cost.documents.prices import check_document, prices_document
from gpucluster.cost.prices import PriceBook, PriceRow
from gpucluster.cost.prices.check import check_prices
from gpucluster.errors import Exit
from gpucluster.options import form_of, output


@click.command()
@click.option("--provider", metavar="NAME", help="Limit to one provider, such as aws.")
@click.option("--region", metavar="NAME", help="Limit to one region, such as us-east-1.")
@click.option("--sku", metavar="NAME", help="Limit to one machine type or other item, such as p5.48xlarge.")
@form_of("table", "json", "csv")
@output
@own_prices
def show(
    provider: str | None,
    region: str | None,
    sku: str | None,
    form: str,
    output: TextIO,
    prices: str | None,
) -> None:
    """List prices with source and date.

    Rows of the price book with their confidence, your own first. If a region has none, the nearest ones are listed.
    """
    book = PriceBook.in_use(prices)
    rows: Sequence[PriceRow] = [*book.own, *_book_rows(book)]
    rows = _only(rows, "--provider", provider, lambda row: row.provider)
    rows = _only(rows, "--sku", sku, lambda row: row.sku)
    if region is not None and not any(row.region == region for row in rows):
        known = _nearest(region, {row.region for row in rows})
        click.echo(f"no price of {sku or 'anything'} in {region}; known in: {known}", err=True)
    rows = [row for row in rows if region in (None, row.region)]
    write(prices_document(rows, book.today), form, output)


@click.command()
@form_of("table", "json")
@output
def check(form: str, output: TextIO) -> None:
    """Test the price book.

    Checks duplicates, values, dates, ages, second opinions, outliers, sizes of a family, and H100 machines without a
    price.

    What matters can make a total wrong: a duplicate price, a price not above zero or from the future, sources that
    disagree by more than 2 % without a note, a way to buy that costs more than on demand, a machine that costs more
    than a larger one of its family or three times as much as elsewhere, an H100 machine without any price. The rest is
    good to know: the age of prices, spot prices and known errors of second opinions, prices over twice or under half
    the median of all regions, H100 machines without a price in one region.

    Exit code 1: something matters.
    """
    book = PriceBook()
    rows = _book_rows(book)
    found = check_prices(rows, book.today)
    write(check_document(found, len(rows), len(book.providers)), form, output)
    if any(finding.matters for finding in found):
        raise SystemExit(Exit.FINDINGS)


def _book_rows(book: PriceBook) -> list[PriceRow]:
    return [row for provider in book.providers for row in book.rows(provider)]


def _only(
    rows: Sequence[PriceRow], option: str, wanted: str | None, field: Callable[[PriceRow], str]
) -> Sequence[PriceRow]:
    """The rows with one value. click.BadParameter if no remaining row has it."""
    if wanted is None:
        return rows
    found = [row for row in rows if field(row) == wanted]
    if not found:
        known = _nearest(wanted, {field(row) for row in rows})
        raise click.BadParameter(f"no price has {wanted!r}; known: {known}", param_hint=option)
    return found


def _nearest(wanted: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(wanted, sorted(known), n=4, cutoff=0.5) or sorted(known)[:8]
    return f"{', '.join(near)}{f' and {len(known) - len(near)} more' if len(known) > len(near) else ''}"
