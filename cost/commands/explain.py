"""`gpucluster cost explain`."""

from __future__ import annotations

import json
from typing import TextIO

import click

from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.commands.options import form as form_of
from gpucluster.cost.commands.options import name_of, presentation, pricing
from gpucluster.cost.estimate import estimate
from gpucluster.cost.explain import NoSuchLine
from gpucluster.cost.explain import explain as explained
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.render.explanation import explanation_json, explanation_text
from gpucluster.cost.render.layout import width_for
from gpucluster.cost.sources.files import read_text
from gpucluster.cost.usage import check_names

__all__ = ["explain"]


@click.command()
@click.argument("line")
@click.argument("file", type=click.File(encoding="utf-8"), default="-")
@form_of("table", "json")
@presentation
@pricing
def explain(
    line: str,
    file: TextIO,
    form: str,
    output: TextIO,
    color: str,
    quiet: bool,
    assumptions: Assumptions,
    prices: str | None,
) -> None:
    """How one LINE of the report on FILE comes about: formula, price, source, date, confidence, assumption.

    LINE: the name or URN of a resource, for all its lines, or the number of a line, counted from 1 in the order of
    `gpucluster cost report --format csv` and json. FILE: a plan or state as for `gpucluster cost report`, - for stdin.

    Exit code 0, 2 input, 3 a fault of this tool.
    """
    del color, quiet
    what = name_of(file)
    book = PriceBook.in_use(prices)
    resources = read_text(file.read(), what)
    check_names(assumptions, resources)
    found = estimate(resources, book, assumptions)
    try:
        chosen = explained(found, line)
    except NoSuchLine as error:
        raise click.BadParameter(str(error), param_hint="LINE") from None
    if form == "json":
        text = json.dumps(explanation_json(chosen, found), indent=2)
    else:
        text = explanation_text(chosen, found, book.today, width_for(output))
    output.write(text + "\n")
