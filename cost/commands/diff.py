"""`gpucluster cost diff`."""

from __future__ import annotations

import json
import shlex
from functools import partial
from typing import TextIO

import click

from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.changes import diff as changed
from gpucluster.cost.changes.files import sides_of
from gpucluster.cost.changes.revisions import PreviewFailed, plan_of, preview_of
from gpucluster.cost.commands.options import FINDINGS, presentation, pricing
from gpucluster.cost.commands.options import form as form_of
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.render.diff_csv import diff_csv
from gpucluster.cost.render.diff_json import diff_json
from gpucluster.cost.render.diff_markdown import diff_markdown
from gpucluster.cost.render.diff_table import diff_table
from gpucluster.cost.render.layout import width_for
from gpucluster.cost.verdict import budget_verdict

__all__ = ["diff"]

_FAILED = 3


@click.command()
@click.argument("old")
@click.argument("new")
@click.option("--stack", metavar="NAME", help="Stack of this project that revisions are previewed of, in the sandbox.")
@click.option("--run", "command", metavar="COMMAND", help="What prints the plan of a revision, instead of the sandbox.")
@form_of("table", "json", "csv", "markdown")
@presentation
@pricing
def diff(
    old: str,
    new: str,
    stack: str | None,
    command: str | None,
    form: str,
    output: TextIO,
    color: str,
    quiet: bool,
    assumptions: Assumptions,
    prices: str | None,
) -> None:
    """What changes a month from OLD to NEW, line by line, at the prices of one book.

    OLD and NEW: `pulumi preview --json --show-sames` or `pulumi stack export`, - for stdin: for instance the state and
    the plan of one stack, or the plans before and after a change of the program. Resources are matched by name,
    whatever their stack. What a plan deletes or replaces comes from its steps.

    Either may be a revision of git: gpucluster cost diff main HEAD --stack aws-trial. It is previewed from nothing in a working
    tree of its own, with the packages that are installed here; what NEW no longer has is named.

    json is described by docs/cost-diff.schema.json; csv has a row for each line that changes. Markdown is a comment for
    a pull request, of at most 65,536 characters, with a hidden marker as its last line by which to find it again.

    A line that loses or gains its price is no change of cost. Where only that decides whether it costs more or less,
    the verdict is "cannot tell", with what is known on both sides.

    Exit code 0, also where it cannot be told; 1 where NEW is over the budget that the components state, or storage or
    reserved capacity is deleted or replaced; 2 input; 3 a preview that fails, or a fault of this tool.
    """
    del color
    if stack is not None and command is not None:
        raise click.UsageError("--stack and --run are two ways to preview a revision; give one of them")
    by = None if command is None else tuple(_split(command))
    by = preview_of(stack) if stack is not None else by
    say = partial(click.echo, err=True) if not quiet else _nothing
    preview = None if by is None else partial(plan_of, command=by, say=say)
    try:
        sides = sides_of(old, new, PriceBook.in_use(prices), assumptions, preview)
    except PreviewFailed as error:
        click.echo(f"error: {error}", err=True)
        raise SystemExit(_FAILED) from None
    found = changed(*sides)
    if form == "json":
        text = json.dumps(diff_json(found), indent=2)
    elif form == "csv":
        text = diff_csv(found)
    else:
        text = diff_markdown(found) if form == "markdown" else diff_table(found, width_for(output))
    output.write(text + "\n")
    verdict = budget_verdict(found.new.estimate)
    if not quiet and form == "json" and verdict is not None:
        click.echo(verdict.sentence, err=True)
    if found.losses or (verdict is not None and verdict.outcome == "over"):
        raise SystemExit(FINDINGS)


def _split(command: str) -> list[str]:
    """The words of a command. click.BadParameter where they are none."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise click.BadParameter(f"{command!r}: {error}; close every quote", param_hint="--run") from None
    if not words:
        raise click.BadParameter("it is empty; write a command that prints a plan", param_hint="--run")
    return words


def _nothing(_: str) -> None:
    """Says nothing."""
