"""`gpucluster cost usage init` and `gpucluster cost usage names`."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import TextIO

import click

from gpucluster.core.catalog.resource_types import free_types
from gpucluster.core.documents.formats import width_for, write
from gpucluster.core.program.readers.files import read_text
from gpucluster.cost.commands.options import a_plan, name_of, prices
from gpucluster.cost.estimate.usage import first_usage, relevant_usage
from gpucluster.cost.handlers.registry import priced_types
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions, regions_in_use
from gpucluster.options import form_of


@click.command()
@a_plan
@click.option("--output", "-o", metavar="FILE", default="-", help="Write to a new FILE instead of stdout.")
@prices
def init(file: TextIO, output: str, prices: str | None) -> None:
    """Write a first usage file.

    Contains every usage value of the resources in a plan or state, at its default: the file changes nothing until you
    edit it.
    """
    what = name_of(file)
    if output != "-" and Path(output).exists():
        raise click.BadParameter(f"{output} exists; name a file that does not", param_hint="--output")
    resources = read_text(file.read(), what)
    assumptions = Assumptions(regions=regions_in_use())
    text = first_usage(resources, relevant_usage(resources, PriceBook.in_use(prices), assumptions), what)
    if output == "-":
        click.echo(text, nl=False)
        return
    Path(output).write_text(text, encoding="utf-8")
    click.echo(f"{output} written. Next: gpucluster cost report --usage {output} {what}", err=True)


@click.command()
@form_of("table", "json")
def names(form: str) -> None:
    """List what a usage file can set.

    Every name that the file and --assume accept, with its default.
    """
    from gpucluster.cost.documents.usage import usage_document

    write(usage_document(), form, sys.stdout)


@click.command()
@form_of("table", "json")
def types(form: str) -> None:
    """List the resource types that are priced or free.

    Free types are listed with their source.
    """
    priced = {name: (handler.__doc__ or "").strip().splitlines()[0] for name, handler in priced_types().items()}
    free = free_types()
    if form == "json":
        listed = {name: {"why": why, "source": source} for name, (why, source) in free.items()}
        click.echo(json.dumps({"schema_version": 1, "priced": priced, "free": listed}, indent=2))
        return
    click.echo(f"Priced ({len(priced)})")
    for name, text in priced.items():
        click.echo(f"  {name}\n{_indented(text)}")
    click.echo(f"\nFree ({len(free)})")
    for name, (why, source) in free.items():
        click.echo(f"  {name}\n{_indented(f'{why} ({source})')}")
    click.echo("\nAny other type is reported as not priced.")


def _indented(text: str) -> str:
    """In lines that a terminal has room for; one line elsewhere."""
    room = width_for(sys.stdout) - 6 if sys.stdout.isatty() else len(text) + 1
    lines = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False)
    return textwrap.indent("\n".join(lines), " " * 6)
