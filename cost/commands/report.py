"""`cost report`."""

from __future__ import annotations

import json
from typing import TextIO

import click

from cost.commands.options import FINDINGS, assumptions_of, name_of, presentation, pricing
from cost.commands.options import form as form_of
from cost.estimate import estimate
from cost.prices import PriceBook
from cost.render.json import as_json
from cost.render.layout import width_for
from cost.render.table import as_table
from cost.sources.files import read_text
from cost.verdict import budget_verdict

__all__ = ["report"]


@click.command()
@click.argument("file", type=click.File(encoding="utf-8"), default="-")
@form_of("table", "json")
@presentation
@pricing
def report(
    file: TextIO,
    form: str,
    output: TextIO,
    color: str,
    quiet: bool,
    expected_share: str | None,
    assume: tuple[str, ...],
    prices: str | None,
) -> None:
    """Cost of FILE (- for stdin): `pulumi preview --json --show-sames` or `pulumi stack export`.

    Exit code 0, 1 over the budget that the components state, 2 input, 3 a fault of this tool.
    """
    del color
    what = name_of(file)
    assumptions = assumptions_of(expected_share, assume)
    book = PriceBook.in_use(prices)
    found = estimate(read_text(file.read(), what), book, assumptions)
    if form == "json":
        text = json.dumps(as_json(found), indent=2)
    else:
        text = as_table(found, f"Cost of {what}", width_for(output))
    output.write(text + "\n")
    verdict = budget_verdict(found)
    if verdict is None:
        return
    if not quiet and form == "json":
        click.echo(verdict.sentence, err=True)
    if verdict.outcome == "over":
        raise SystemExit(FINDINGS)
