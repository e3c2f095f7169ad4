"""`gpucluster cost advise`."""

from __future__ import annotations

from decimal import Decimal
from typing import TextIO

import click

from gpucluster.core.program.readers.files import read_text
from gpucluster.cost.commands.options import AMOUNT, POSITIVE, a_plan, name_of, pricing
from gpucluster.cost.documents.advice import advice_document
from gpucluster.cost.documents.forms.formats import write
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.purchasing import Settings
from gpucluster.cost.purchasing.file_systems import asked_need
from gpucluster.cost.purchasing.recommendations import advice_of
from gpucluster.cost.usage import check_names
from gpucluster.options import form_of, output


@click.command()
@a_plan
@form_of("table", "json", "csv", "markdown")
@click.option("--days", type=POSITIVE, help="Days the machines are needed.  [default: the stack's value]")
@click.option("--usable-tib", type=POSITIVE, help="TiB of data on shared storage.  [default: the stack's value]")
@click.option("--gb-per-s", type=AMOUNT, help="GB/s that shared storage must reach.  [default: 0]")
@output
@pricing
def advise(
    file: TextIO,
    form: str,
    days: Decimal | None,
    usable_tib: Decimal | None,
    gb_per_s: Decimal | None,
    output: TextIO,
    assumptions: Assumptions,
    prices: str | None,
) -> None:
    """Suggest savings.

    Lists cheaper alternatives and unused capacity, each with its inputs: the use above which a commitment costs less
    than on demand; blocks and calendar reservations for the days needed; capacity that block sizes and Lustre size
    steps leave unused; a cheaper tier and size of storage for the same need.
    """
    if gb_per_s is not None and usable_tib is None:
        raise click.UsageError("--gb-per-s needs --usable-tib: both describe the need")
    need = None if usable_tib is None else asked_need(usable_tib, gb_per_s or Decimal(0))
    what = name_of(file)
    book = PriceBook.in_use(prices)
    resources = read_text(file.read(), what)
    check_names(assumptions, resources)
    found = advice_of(resources, book, Settings(days=days), assumptions, need)
    write(advice_document(found, f"Advice on {what}"), form, output)
