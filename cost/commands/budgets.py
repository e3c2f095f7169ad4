"""`gpucluster cost budgets`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

import click

from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.budgets import BadLimits, Limits, UnknownPool, read_limits, verdicts_of
from gpucluster.cost.commands.options import FINDINGS, name_of, presentation, pricing
from gpucluster.cost.commands.options import form as form_of
from gpucluster.cost.estimate import estimate
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.render.budgets import budgets_json, budgets_table
from gpucluster.cost.render.layout import width_for
from gpucluster.cost.sources.files import read_text
from gpucluster.cost.usage import check_names

__all__ = ["budgets"]


@click.command()
@click.argument("file", type=click.File(encoding="utf-8"), default="-")
@click.option(
    "--limits", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="YAML file of stack, labels, pools."
)
@click.option("--strict", is_flag=True, help="Exit with 1 also where it cannot be told.")
@form_of("table", "json")
@presentation
@pricing
def budgets(
    file: TextIO,
    limits: Path | None,
    strict: bool,
    form: str,
    output: TextIO,
    color: str,
    quiet: bool,
    assumptions: Assumptions,
    prices: str | None,
) -> None:
    """Whether FILE keeps its limits: the stack's own budget, and those of a file for stack, labels and pools.

    FILE: `pulumi preview --json --show-sames` or `pulumi stack export`, - for stdin. A budget (`monthly`) is held
    against what is expected, a `ceiling` against the most that autoscaling may cost. What has no price, or no limit to
    its scaling, cannot be told; it is never within.

    \b
        stack: {monthly: 420000, ceiling: 450000}
        labels:
          team:
            research: {monthly: 300000}
        pools:
          trial-elastic-dev-pool: {ceiling: 45000}

    Exit code 0, 1 over a limit (with --strict also where it cannot be told), 2 input, 3 a fault of this tool.
    """
    del color, quiet
    what = name_of(file)
    book = PriceBook.in_use(prices)
    resources = read_text(file.read(), what)
    check_names(assumptions, resources)
    found = estimate(resources, book, assumptions)
    try:
        verdicts = verdicts_of(found, resources, Limits() if limits is None else read_limits(limits))
    except (BadLimits, UnknownPool) as error:
        raise click.UsageError(f"limits that cannot be used\n{error}") from None
    if not verdicts:
        raise click.UsageError(f"{what} states no budget and there is no --limits; give a file of limits")
    text = (
        json.dumps(budgets_json(verdicts), indent=2) if form == "json" else budgets_table(verdicts, width_for(output))
    )
    output.write(text + "\n")
    found_over = any(item.outcome == "over" for item in verdicts)
    if found_over or (strict and any(item.outcome == "cannot tell" for item in verdicts)):
        raise SystemExit(FINDINGS)
