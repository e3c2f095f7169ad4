"""`cost compare`."""

from __future__ import annotations

import json
from typing import TextIO

import click

from cost.commands.options import assumptions_of, presentation, pricing
from cost.commands.options import form as form_of
from cost.comparison import compare as compared
from cost.comparison.files import columns_of
from cost.prices import PriceBook
from cost.render.comparison_json import comparison_json
from cost.render.comparison_markdown import comparison_markdown
from cost.render.comparison_table import comparison_table
from cost.render.layout import width_for

__all__ = ["compare"]


@click.command()
@click.argument("files", type=click.File(encoding="utf-8"), nargs=-1, required=True, metavar="FILE FILE...")
@form_of("table", "json", "markdown")
@presentation
@pricing
def compare(
    files: tuple[TextIO, ...],
    form: str,
    output: TextIO,
    color: str,
    quiet: bool,
    expected_share: str | None,
    assume: tuple[str, ...],
    prices: str | None,
) -> None:
    """Several stacks side by side: what each is, what it costs, what it lacks.

    FILE: `pulumi preview --json --show-sames` or `pulumi stack export` of a stack, a column each, - for stdin. Parts
    are ranked where every column prices them; a total with something unpriced in it is "at least" and placed nowhere.

    In this repository `make compare` previews every stack it is given and compares them: make compare
    STACKS="aws-trial gcp-trial".

    Exit code 0, 2 input, 3 a fault of this tool.
    """
    del color, quiet
    found = compared(columns_of(files, PriceBook.in_use(prices), assumptions_of(expected_share, assume)))
    if form == "json":
        text = json.dumps(comparison_json(found), indent=2)
    else:
        text = comparison_markdown(found) if form == "markdown" else comparison_table(found, width_for(output))
    output.write(text + "\n")
