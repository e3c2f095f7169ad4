"""`gpucluster cost usage init` and `gpucluster cost usage names`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

import click

from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.commands.options import form as form_of
from gpucluster.cost.commands.options import name_of, prices
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.render.json import SCHEMA_VERSION
from gpucluster.cost.sources.files import read_text
from gpucluster.cost.tables import usage_words
from gpucluster.cost.usage.asked import asked_by
from gpucluster.cost.usage.start import first_usage

__all__ = ["usage"]


@click.group()
def usage() -> None:
    """What no plan can know: traffic, requests, data stored, hours."""


@usage.command()
@click.argument("file", type=click.File(encoding="utf-8"), default="-")
@click.option("--output", metavar="FILE", help="Write here, not to stdout; what is there is never overwritten.")
@prices
def init(file: TextIO, output: str | None, prices: str | None) -> None:
    """A first usage file for the plan or state FILE (- for stdin): every value that its resources ask for.

    The values are those that are taken without it, so that it changes nothing until you do.

    Exit code 0, 2 input, 3 a fault of this tool.
    """
    what = name_of(file)
    if output is not None and Path(output).exists():
        raise click.BadParameter(f"{output} exists; name a file that does not", param_hint="--output")
    resources = read_text(file.read(), what)
    text = first_usage(resources, asked_by(resources, PriceBook.in_use(prices), Assumptions()), what)
    if output is None:
        click.echo(text, nl=False)
        return
    Path(output).write_text(text, encoding="utf-8")
    click.echo(f"{output} written. Next: gpucluster cost report --usage {output} {what}", err=True)


@usage.command()
@form_of("table", "json")
def names(form: str) -> None:
    """Every name that a usage file and --assume take, with its value when nobody sets it."""
    default, words = Assumptions(), usage_words()
    if form == "json":
        listed = {name: {"value": f"{default.amount(name):f}", "words": words[name]} for name in Assumptions.names()}
        click.echo(json.dumps({"schema_version": SCHEMA_VERSION, "usage": listed}, indent=2))
        return
    width = max(map(len, words))
    for name in Assumptions.names():
        click.echo(f"{name:<{width}}  {default.amount(name):f} {words[name]}")
