"""`gpucluster cost advise` and `gpucluster cost options`."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, TextIO

import click

from gpucluster.core.documents.formats import write
from gpucluster.core.program.readers.files import read_text
from gpucluster.cost.commands.options import AMOUNT, POSITIVE, SHARE, a_plan, name_of, pricing
from gpucluster.cost.documents.advice import advice_document
from gpucluster.cost.documents.options.options import options_document
from gpucluster.cost.estimate.usage import check_names
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.cost.purchasing import Settings, options_of
from gpucluster.cost.purchasing.file_systems import asked_need
from gpucluster.cost.purchasing.recommendations import advice_of
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


@click.command()
@a_plan
@form_of("table", "json", "csv", "markdown")
@click.option("--days", type=POSITIVE, help="Days the machines are needed.  [default: the stack's value]")
@click.option("--utilisation", type=SHARE, help="Share of hours in which a GPU is in use.  [default: 1]")
@click.option("--cover", type=SHARE, help="Share of a co-located pool under a commitment.  [default: 1]")
@click.option(
    "--interruption-rate",
    type=SHARE,
    help="Share of spot nodes interrupted per hour.  [default: as published, else 0.02]",
)
@click.option("--checkpoint-minutes", type=POSITIVE, help="Minutes between checkpoints.  [default: 30]")
@click.option("--restart-minutes", type=AMOUNT, help="Minutes from an interruption to the next step.  [default: 15]")
@click.option("--baseline", type=AMOUNT, help="Machines of elastic pools under a commitment.  [default: the average]")
@click.option("--spot-share", type=SHARE, help="Share of spot in a mix, above the baseline.  [default: 0.7]")
@output
@pricing
def options(
    file: TextIO,
    form: str,
    days: Decimal | None,
    checkpoint_minutes: Decimal | None,
    restart_minutes: Decimal | None,
    output: TextIO,
    assumptions: Assumptions,
    prices: str | None,
    **shares: Decimal | None,
) -> None:
    """Price every purchase option of the GPU machines.

    Shows the monthly cost of the stack for each, and what is paid when. A co-located pool is bought in one
    way; commitments are discounts that cover a share of it. Elastic pools are bought in mixes. Machines that run in a
    reservation, by its id, are already bought and the same in every row.

    stack $/month: payments spread over the hours that they pay for. upfront: before the machines start. total
    commitment: the whole term or block, used or not. effective GPU-h: cost of the training part per training GPU and
    hour, divided by utilisation and by the share of hours left after spot interruptions.

    json and csv have exact amounts; csv has a row for each way, mix and zone, and one without an amount for each thing
    that has no price.
    """
    given: dict[str, Any] = {name: value for name, value in shares.items() if value is not None}
    for name, minutes in (("checkpoint_hours", checkpoint_minutes), ("restart_hours", restart_minutes)):
        if minutes is not None:
            given[name] = minutes / 60
    settings = Settings(days=days, **given)
    what = name_of(file)
    book = PriceBook.in_use(prices)
    resources = read_text(file.read(), what)
    check_names(assumptions, resources)
    found = options_of(resources, book, settings, assumptions)
    write(options_document(found, f"Purchase options for {what}"), form, output)
