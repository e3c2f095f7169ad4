"""`cost report`."""

from __future__ import annotations

import json
from typing import TextIO

import click

from cost.commands.options import FINDINGS, assumptions_of, name_of, presentation, pricing
from cost.commands.options import form as form_of
from cost.estimate import estimate
from cost.grouping import group_by as grouped
from cost.prices import PriceBook
from cost.render.csv import as_csv
from cost.render.groups import groups_json, groups_table
from cost.render.json import as_json
from cost.render.layout import width_for
from cost.render.table import as_table
from cost.sources.files import read_text
from cost.verdict import budget_verdict

__all__ = ["report"]


@click.command()
@click.argument("file", type=click.File(encoding="utf-8"), default="-")
@form_of("table", "json", "csv")
@click.option("--group-by", metavar="LABEL", help="Chargeback: sums by the values of a label or tag, such as team.")
@presentation
@pricing
def report(
    file: TextIO,
    form: str,
    group_by: str | None,
    output: TextIO,
    color: str,
    quiet: bool,
    expected_share: str | None,
    assume: tuple[str, ...],
    prices: str | None,
) -> None:
    """Cost of FILE (- for stdin): `pulumi preview --json --show-sames` or `pulumi stack export`.

    json is described by docs/cost-report.schema.json. csv has a row for each line, and one without an amount for each
    thing that has no price. --group-by gives every line to the value of a label that its resource carries, itself or by
    its provider's defaults, and else to "(no label)"; the total stays.

    Exit code 0, 1 over the budget that the components state, 2 input, 3 a fault of this tool.
    """
    del color
    what = name_of(file)
    assumptions = assumptions_of(expected_share, assume)
    book = PriceBook.in_use(prices)
    resources = read_text(file.read(), what)
    found = estimate(resources, book, assumptions)
    grouping = None if group_by is None else grouped(found, resources, group_by)
    title = f"Cost of {what}"
    if form == "json":
        text = json.dumps(as_json(found) | ({} if grouping is None else {"group_by": groups_json(grouping)}), indent=2)
    elif form == "csv":
        text = as_csv(found, grouping)
    elif grouping is not None:
        text = groups_table(grouping, found, title, width_for(output))
    else:
        text = as_table(found, title, width_for(output))
    output.write(text + "\n")
    verdict = budget_verdict(found)
    if verdict is None:
        return
    if not quiet and (form != "table" or grouping is not None):
        click.echo(verdict.sentence, err=True)
    if verdict.outcome == "over":
        raise SystemExit(FINDINGS)
