"""`gpucluster cost report`."""

from __future__ import annotations

import json
from typing import TextIO

import click

from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.commands.options import pricing
from gpucluster.cost.commands.sources import heard, source_of
from gpucluster.cost.estimate import estimate
from gpucluster.cost.grouping import group_by, labels_of
from gpucluster.cost.options import options_of
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.render.csv import as_csv
from gpucluster.cost.render.groups import groups_json, groups_table
from gpucluster.cost.render.html import report_page
from gpucluster.cost.render.json import as_json
from gpucluster.cost.render.layout import width_for
from gpucluster.cost.render.report_markdown import report_markdown
from gpucluster.cost.render.table import as_table
from gpucluster.cost.usage import check_names
from gpucluster.cost.verdict import budget_verdict
from gpucluster.errors import Exit
from gpucluster.options import form_of, output, quiet
from gpucluster.program.readers.files import read_text

__all__ = ["report"]


@click.command()
@click.argument(
    "file",
    type=click.File(encoding="utf-8"),
    required=False,
    help="Plan (`pulumi preview --json --show-sames`) or state (`pulumi stack export`).  [default: -, for stdin]",
)
@click.option(
    "--run", "command", metavar="COMMAND", help="Command to run instead of reading FILE, such as 'pulumi preview'."
)
@click.option(
    "--set",
    "settings",
    metavar="FIELD=VALUE",
    multiple=True,
    help="Override a spec field for this run, such as nodes=8 (with --run); repeatable.",
)
@form_of("table", "json", "csv", "markdown", "html")
@click.option("--group-by", "labels", metavar="LABEL", multiple=True,
              help="Sum by the values of a label or tag, such as team; repeatable.")  # fmt: skip
@output
@quiet
@pricing
def report(
    file: TextIO | None,
    command: str | None,
    settings: tuple[str, ...],
    form: str,
    labels: tuple[str, ...],
    output: TextIO,
    quiet: bool,
    assumptions: Assumptions,
    prices: str | None,
) -> None:
    """Price a plan or state.

    json is described by docs/cost-report.schema.json. csv has a row for each line, and one without an amount for each
    thing that has no price. markdown is short and has its detail folded, at most 65,536 characters. html is one page
    that needs no network, with charts by part, by label, by way to buy, and every line.

    --group-by gives every line to the value of a label that its resource carries, itself or by its provider's defaults,
    and else to "(no label)"; the total stays. Without it the page shows the labels that are on most of the money.

    --run runs a command, without a shell, and reads what it writes; a preview is asked for --json --show-sames. --set
    asks a program of this repository for other values of its spec, for this preview alone: nothing is written.

    Exit code 1: over the budget that the components state.
    """
    book = PriceBook.in_use(prices)
    text, what = source_of(file, command, settings, quiet=quiet)
    resources = read_text(text, what)
    check_names(assumptions, resources)
    found = estimate(resources, book, assumptions)
    heard(found.facts.what_if, settings)
    groupings = [group_by(found, resources, label) for label in dict.fromkeys(labels)]
    title = f"Cost of {what}"
    if form == "json":
        groups = {"group_by": [groups_json(grouping) for grouping in groupings]} if groupings else {}
        text = json.dumps(as_json(found) | groups, indent=2)
    elif form == "csv":
        text = as_csv(found, groupings)
    elif form == "markdown":
        text = report_markdown(found, resources.stack, groupings)
    elif form == "html":
        shown = groupings or [group_by(found, resources, label) for label in labels_of(found, resources)]
        name = f"Cost of {resources.stack or what}"
        text = report_page(found, name, shown, options_of(resources, book, assumptions=assumptions))
    elif groupings:
        text = "\n\n".join(groups_table(grouping, found, title, width_for(output)) for grouping in groupings)
    else:
        text = as_table(found, title, width_for(output))
    output.write(text + "\n")
    verdict = budget_verdict(found)
    if verdict is None:
        return
    if not quiet and (form != "table" or groupings):
        click.echo(verdict.sentence, err=True)
    if verdict.outcome == "over":
        raise SystemExit(Exit.FINDINGS)
