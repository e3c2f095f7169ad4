"""`gpucluster cost budgets`."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

import click

from gpucluster.core.documents.formats import write
from gpucluster.core.program.readers.files import read_text
from gpucluster.cost.commands.options import a_plan, name_of, pricing
from gpucluster.cost.documents.budgets import budgets_document
from gpucluster.cost.estimate.budgets import Limits, read_limits, verdicts_of
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.estimate.usage import check_names
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.errors import Exit
from gpucluster.options import form_of, output


@click.command()
@a_plan
@click.option(
    "--limits",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="YAML file of limits for stack, labels and pools.",
)
@click.option("--strict", is_flag=True, help="Also exit with 1 if a limit cannot be evaluated.")
@form_of("table", "json", "csv", "markdown")
@output
@pricing
def budgets(
    file: TextIO,
    limits: Path | None,
    strict: bool,
    form: str,
    output: TextIO,
    assumptions: Assumptions,
    prices: str | None,
) -> None:
    """Check budgets and other limits.

    Limits are the stack's own budget, and those of a file for stack, labels and pools. A budget (`monthly`) is compared
    with the expected cost, a `ceiling` with the maximum cost of autoscaling. Without a price, or without a limit on
    scaling, the result is "cannot tell", never within.

    \b
        stack: {monthly: 420000, ceiling: 450000}
        labels:
          team:
            research: {monthly: 300000}
        pools:
          trial-elastic-dev-pool: {ceiling: 45000}

    Exit code 1: over a limit; with --strict also if a limit cannot be evaluated.
    """
    what = name_of(file)
    book = PriceBook.in_use(prices)
    resources = read_text(file.read(), what)
    check_names(assumptions, resources)
    found = estimate(resources, book, assumptions)
    verdicts = verdicts_of(found, resources, Limits() if limits is None else read_limits(limits))
    if not verdicts:
        raise click.UsageError(f"{what} declares no budget and --limits is missing; give a limits file")
    write(budgets_document(verdicts, f"Limits of {what}"), form, output)
    found_over = any(item.outcome == "over" for item in verdicts)
    if found_over or (strict and any(item.outcome == "cannot tell" for item in verdicts)):
        raise SystemExit(Exit.FINDINGS)
