"""`gpucluster cost explain`."""

from __future__ import annotations

from typing import TextIO

import click

from gpucluster.core.documents.formats import write
from gpucluster.core.program.readers.files import read_text
from gpucluster.cost.commands.options import a_plan, name_of, pricing
from gpucluster.cost.documents.report.explanation import explanation_document
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.estimate.explain import NoSuchLine
from gpucluster.cost.estimate.explain import explain as explained
from gpucluster.cost.estimate.usage import check_names
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.options import form_of, output


@click.command()
@click.argument("line", help="Name or URN of a resource, or the number of a line in the report.")
@a_plan
@form_of("table", "json")
@output
@pricing
def explain(
    line: str,
    file: TextIO,
    form: str,
    output: TextIO,
    assumptions: Assumptions,
    prices: str | None,
) -> None:
    """Explain lines of a report.

    Formula, price, source, date, confidence and assumptions: of all lines of a resource, or of one line. Lines are
    numbered from 1, in the order of `gpucluster cost report --format csv` and json.
    """
    what = name_of(file)
    book = PriceBook.in_use(prices)
    resources = read_text(file.read(), what)
    check_names(assumptions, resources)
    found = estimate(resources, book, assumptions)
    try:
        chosen = explained(found, line)
    except NoSuchLine as error:
        raise click.BadParameter(str(error), param_hint="LINE") from None
    write(explanation_document(chosen, found, book.today), form, output)
