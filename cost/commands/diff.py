"""`cost diff`."""

from __future__ import annotations

import json
from typing import TextIO

import click

from cost.changes import diff as changed
from cost.changes.files import sides_of
from cost.commands.options import FINDINGS, assumptions_of, presentation, pricing
from cost.commands.options import form as form_of
from cost.prices import PriceBook
from cost.render.diff_json import diff_json
from cost.render.diff_markdown import diff_markdown
from cost.render.diff_table import diff_table
from cost.render.layout import width_for
from cost.verdict import budget_verdict

__all__ = ["diff"]


@click.command()
@click.argument("old", type=click.File(encoding="utf-8"))
@click.argument("new", type=click.File(encoding="utf-8"))
@form_of("table", "json", "markdown")
@presentation
@pricing
def diff(
    old: TextIO,
    new: TextIO,
    form: str,
    output: TextIO,
    color: str,
    quiet: bool,
    expected_share: str | None,
    assume: tuple[str, ...],
    prices: str | None,
) -> None:
    """What changes a month from OLD to NEW, line by line, at the prices of one book.

    OLD and NEW: `pulumi preview --json --show-sames` or `pulumi stack export`, - for stdin: for instance the state and
    the plan of one stack, or the plans before and after a change of the program. Resources are matched by name,
    whatever their stack. What a plan deletes or replaces comes from its steps. Markdown is a comment for a pull
    request, of at most 65,536 characters, with a hidden marker as its last line by which to find it again.

    Exit code 0; 1 where NEW is over the budget that the components state, or storage or reserved capacity is deleted or
    replaced; 2 input; 3 a fault of this tool.
    """
    del color
    found = changed(*sides_of(old, new, PriceBook.in_use(prices), assumptions_of(expected_share, assume)))
    if form == "json":
        text = json.dumps(diff_json(found), indent=2)
    else:
        text = diff_markdown(found) if form == "markdown" else diff_table(found, width_for(output))
    output.write(text + "\n")
    verdict = budget_verdict(found.new.estimate)
    if not quiet and form == "json" and verdict is not None:
        click.echo(verdict.sentence, err=True)
    if found.losses or (verdict is not None and verdict.outcome == "over"):
        raise SystemExit(FINDINGS)
