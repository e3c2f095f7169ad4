"""`gpucluster cost tco`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final, TextIO

import click

from gpucluster.core.documents.formats import write
from gpucluster.core.program.readers.files import read_text
from gpucluster.cost.commands.options import Number, name_of
from gpucluster.cost.commands.options import prices as own_prices
from gpucluster.cost.documents.tco import tco_document
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.purchasing import options_of
from gpucluster.cost.tco import Against, Inputs, Own, against, own_cluster
from gpucluster.cost.tco.rental import inputs_of, rental_by_options
from gpucluster.options import form_of, output

_LIVES: Final = (Decimal(3), Decimal(5))
_RATE: Final = Number(1000, above=True)


@click.command()
@click.option(
    "--inputs",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML file of inputs, one `name: value` per line.",
)
@click.option(
    "--set", "settings", metavar="NAME=VALUE", multiple=True, help="One input; overrides the file; repeatable."
)
@click.option(
    "--against",
    "by_use",
    type=_RATE,
    multiple=True,
    help="USD per GPU-hour of a pay-as-you-go cloud; repeatable.",
)
@click.option(
    "--reserved",
    type=_RATE,
    multiple=True,
    help="USD per GPU-hour of a reservation, billed even when idle; repeatable.",
)
@click.option(
    "--plan",
    metavar="FILE",
    type=click.File(encoding="utf-8"),
    help="Plan or state whose nodes are owned, compared with every purchase option; - for stdin.",
)
@form_of("table", "json", "csv", "markdown", "html")
@output
@own_prices
def tco(
    inputs: Path | None,
    settings: tuple[str, ...],
    by_use: tuple[Decimal, ...],
    reserved: tuple[Decimal, ...],
    plan: TextIO | None,
    form: str,
    output: TextIO,
    prices: str | None,
) -> None:
    """Compare the cost of your own nodes with the cloud.

    Shows their cost per year and per productive GPU-hour, and the use above which they are cheaper.

    Prints every input with its unit, value and source; an input without a default is yours to set, or listed as not
    included. The break-even against a pay-as-you-go price is a utilisation; against a reservation, billed even when
    idle, it is the difference of a year.

    csv has a row for each figure with its unit, and one without a figure for each cost that is not included.
    """
    options = None if plan is None else options_of(read_text(plan.read(), name_of(plan)), PriceBook.in_use(prices))
    stated = {} if options is None else inputs_of(options)
    name = "" if plan is None else name_of(plan)
    own = own_cluster(Inputs.of(file=inputs, settings=settings, plan=stated, plan_name=name))
    found = [*_given(own, by_use, reserved), *(() if options is None else rental_by_options(own, options))]
    life = own.inputs.number("life_years")
    lives = [own_cluster(own.inputs.but(life_years=years)) for years in _LIVES if years != life]
    write(tco_document(own, lives, found), form, output)


def _given(own: Own, by_use: Sequence[Decimal], reserved: Sequence[Decimal]) -> Iterator[Against]:
    for rate in by_use:
        yield against(own, f"${rate:f} a GPU-hour", rate, idle_too=False)
    for rate in reserved:
        yield against(own, f"${rate:f} a GPU-hour", rate, idle_too=True)
