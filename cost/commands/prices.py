"""`gpucluster cost prices`."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO
from urllib.parse import urlsplit

import click

from gpucluster.core.cache import cache_folder
from gpucluster.core.documents.formats import write
from gpucluster.cost.commands.options import prices as own_prices
from gpucluster.cost.commands.options import tflops_of, tflops_option
from gpucluster.cost.comparison.offers import TF32_TFLOPS, market
from gpucluster.cost.documents.prices import check_document, gpus_document, prices_document
from gpucluster.cost.prices import PriceBook, PriceRow
from gpucluster.cost.prices.check import check_prices
from gpucluster.errors import Exit, Fault
from gpucluster.options import form_of, output, quiet

if TYPE_CHECKING:
    from gpucluster.cost.prices.live.refresh import Wanted


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
@click.option("--gpu", "gpus", type=click.Choice([*TF32_TFLOPS]), multiple=True,
              help="GPU model; repeatable.  [default: all]")  # fmt: skip
@tflops_option
@form_of("table", "json", "csv")
@output
@own_prices
def gpus(gpus: tuple[str, ...], tflops: tuple[str, ...], form: str, output: TextIO, prices: str | None) -> None:
    """Compare GPU-hour prices of the market.

    Per GPU-hour, and per hour of 1,000 TF32 TFLOPS, on demand: the machines of the three clouds with eight GPUs, each
    in its cheapest region, and the offers of other providers. They price machines alone; `gpucluster quote` prices
    whole clusters. TFLOPS are those of NVIDIA's data sheets with sparsity, or set.

    \b
    gpucluster cost prices gpus --gpu h100 --gpu a100
    gpucluster cost prices gpus --tflops h100=890
    """
    book = PriceBook.in_use(prices)
    found = {gpu: market(book, gpu) for gpu in gpus or TF32_TFLOPS}
    write(gpus_document(found, {**TF32_TFLOPS, **dict(tflops_of(tflops))}, book.today), form, output)


@click.command()
@form_of("table", "json")
@output
def check(form: str, output: TextIO) -> None:
    """Test the price book.

    Checks duplicates, values, dates, ages, second opinions, outliers, sizes of a family, and H100 machines without a
    price.

    What matters can make a total wrong: a duplicate price, a price not above zero or from the future, sources that
    disagree by more than 2 % without a note, an option that costs more than on demand, a machine that costs more
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


KEY_VARIABLE: Final = "GPUCLUSTER_GOOGLE_API_KEY"
_CLOUDS: Final = ("aws", "azure", "gcp")


@click.command()
@click.option(
    "--cloud",
    "clouds",
    multiple=True,
    type=click.Choice(_CLOUDS),
    help="Limit to one cloud; repeatable.  [default: all]",
)
@click.option("--only", metavar="SKU", multiple=True, help="Limit to one machine type or other item; repeatable.")
@click.option(
    "--region",
    "regions",
    metavar="NAME",
    multiple=True,
    help="Limit to one region, with every item known there; repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option("--keep-going", is_flag=True, help="Write the valid rows; keep rows in doubt as they are.")
@click.option("--accept", metavar="SKU", multiple=True, help="Accept a price change above 50 % for SKU; repeatable.")
@click.option(
    "--aws-by", type=click.Choice(["files", "api"]), default="files", show_default=True,
    help="Source for AWS: bulk files, or the query API by boto3 and your credentials.",
)  # fmt: skip
@click.option(
    "--endpoint", "endpoints", metavar="CLOUD=URL", multiple=True, help="Read a mirror of a cloud's list; repeatable."
)
@click.option("--max-age", type=click.FloatRange(0), default=12, show_default=True, metavar="HOURS",
              help="Reuse cached answers up to this age.")  # fmt: skip
@click.option(
    "--book",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Folder of price files.  [default: the book of this package]",
)
@form_of("table", "json", "markdown")
@output
@quiet
def refresh(
    clouds: tuple[str, ...],
    only: tuple[str, ...],
    regions: tuple[str, ...],
    dry_run: bool,
    keep_going: bool,
    accept: tuple[str, ...],
    aws_by: str,
    endpoints: tuple[str, ...],
    max_age: float,
    book: Path | None,
    form: str,
    output: TextIO,
    quiet: bool,
) -> None:
    """Read prices from the clouds' price lists.

    Updates the price book row by row. Sources are AWS's bulk offer files and savings plans, Azure's Retail Prices API,
    and Google's Cloud Billing Catalog; the last needs an API key in GPUCLUSTER_GOOGLE_API_KEY and is skipped without
    one. Requests every row of the book that has a live list, and items without any row in the book; with --region
    every known item, in that region.

    A price is accepted if exactly one offer matches, in a known unit, above zero, and within 50 % of the old price. If
    a row is in doubt nothing is written, unless --keep-going is set. Files are replaced as a whole.

    Exit code 1: a row is in doubt. 2: also a cloud skipped for lack of a key. 3: also a list that cannot be read; then
    the book is unchanged.
    """
    # Only this command needs the web.
    from gpucluster.core.documents import formats
    from gpucluster.cost.documents.refresh import Refreshed, refresh_document
    from gpucluster.cost.prices.live import aws
    from gpucluster.cost.prices.live.refresh import NotWritten, answered, not_covered, wanted, write
    from gpucluster.cost.prices.live.sources import Sources
    from gpucluster.cost.prices.live.web import SourceFailed, Web

    chosen = clouds or _CLOUDS
    prices = _book(book)
    addresses = _addresses(endpoints)
    key = os.environ.get(KEY_VARIABLE, "").strip()
    asked = [one for cloud in chosen for one in wanted(cloud, prices.rows(cloud), only=only, regions=regions)]
    _known(only, [row.sku for cloud in chosen for row in prices.rows(cloud)], [one.query.sku for one in asked])
    skipped = "" if key else _without_a_key(asked)
    chosen = [cloud for cloud in chosen if cloud != skipped]
    asked = [one for one in asked if one.provider != skipped]
    products = None
    if aws_by == "api" and "aws" in chosen:
        products = aws.client()

    def say(line: str) -> None:
        if not quiet:
            click.echo(line, err=True)

    rows = [row for cloud in chosen for row in prices.rows(cloud)]
    left = [] if only or regions else not_covered(rows, asked)
    say(f"Requesting {sum(len(one.rows) for one in asked):,} rows of the book; {len(left):,} have no live list")
    web = Web(say, folder=cache_folder() / "prices", max_age=max_age * 3600)
    try:
        sources = Sources(web, prices.today.isoformat(), key, products, addresses)
        answers = list(answered(asked, sources, accept=accept, cents=("gcp",)))
        doubts = sum(answer.kind == "doubt" for answer in answers)
        writes = not dry_run and (keep_going or not doubts) and any(answer.rows for answer in answers)
        if writes:
            write(prices.folder, answers, prices.today)
    except (SourceFailed, NotWritten) as error:
        raise Fault(f"{error}\nNothing is written; the book is unchanged.") from None
    found = Refreshed(answers=answers, not_covered=left, skipped=[skipped] if skipped else [], written=writes)
    formats.write(refresh_document(found), form, output)
    say(_closing(writes=writes, dry_run=dry_run, doubts=doubts, folder=prices.folder))
    if skipped:
        click.echo(f"Google Cloud is skipped: its catalog needs an API key in {KEY_VARIABLE}", err=True)
        raise SystemExit(Exit.INPUT)
    if doubts:
        raise SystemExit(Exit.FINDINGS)


def _without_a_key(asked: Sequence[Wanted]) -> str:
    """The cloud that needs a missing key; raises UsageError if no other cloud is requested."""
    clouds = {one.provider for one in asked}
    if clouds == {"gcp"}:
        raise click.UsageError(f"Google's catalog needs an API key: set {KEY_VARIABLE}")
    return "gcp" if "gcp" in clouds else ""


def _closing(*, writes: bool, dry_run: bool, doubts: int, folder: Path) -> str:
    if writes:
        return f"Written to {folder}. Next: gpucluster cost prices check"
    if dry_run:
        return "Nothing is written: a dry run."
    if doubts:
        return "Nothing is written: rows are in doubt. --keep-going writes the rest and leaves these as they are."
    return "Nothing is written: no list had a price."


def _book(folder: Path | None) -> PriceBook:
    if folder is None:
        return PriceBook()
    missing = [
        name for name in ("sources.csv", *(f"{cloud}.csv" for cloud in _CLOUDS)) if not (folder / name).is_file()
    ]
    if missing:
        raise click.BadParameter(
            f"{str(folder)!r} is not a price book: no {', '.join(missing)} in it", param_hint="--book"
        )
    return PriceBook(folder=folder)


def _addresses(given: Sequence[str]) -> dict[str, str]:
    from gpucluster.cost.prices.live.sources import ADDRESSES

    found = dict(ADDRESSES)
    for item in given:
        cloud, equals, url = item.partition("=")
        parts = urlsplit(url)
        if not equals or cloud not in _CLOUDS or parts.scheme not in ("http", "https") or not parts.netloc:
            allowed = f"CLOUD=URL with a cloud of {', '.join(_CLOUDS)} and an http or https address"
            raise click.BadParameter(f"{item!r}; allowed: {allowed}", param_hint="--endpoint")
        found[cloud] = url
    return found


def _known(only: Sequence[str], in_book: Sequence[str], asked: Sequence[str]) -> None:
    for sku in only:
        if sku not in asked:
            why = "no live list has it" if sku in in_book else "neither the book nor a live list has it"
            raise click.BadParameter(f"{sku!r}: {why}; see gpucluster cost prices show", param_hint="--only")
