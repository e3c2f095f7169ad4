"""`gpucluster cost diff`."""

from __future__ import annotations

import shlex
from functools import partial
from typing import TextIO

import click

from gpucluster.core.documents.formats import write
from gpucluster.cost.commands.options import pricing
from gpucluster.cost.diff import diff as changed
from gpucluster.cost.diff.revisions import plan_of, preview_of, sides_of
from gpucluster.cost.documents.diff.diff import diff_document
from gpucluster.cost.estimate.budgets import budget_verdict
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.errors import Exit
from gpucluster.options import form_of, output, quiet, stack_option


@click.command()
@click.argument("old", help="Plan, state or git revision; - for stdin.")
@click.argument("new", help="The same after the change.")
@stack_option("Stack to preview in the sandbox for git revisions.")
@click.option(
    "--run",
    "command",
    metavar="COMMAND",
    help="Command that prints the plan of a git revision, instead of the sandbox.",
)
@form_of("table", "json", "csv", "markdown")
@output
@quiet
@pricing
def diff(
    old: str,
    new: str,
    stack: str | None,
    command: str | None,
    form: str,
    output: TextIO,
    quiet: bool,
    assumptions: Assumptions,
    prices: str | None,
) -> None:
    """Show what a change costs a month.

    OLD and NEW: for example the state and the plan of one stack, or the plans before and after a change of the
    program. Resources are matched by name, in any stack. Deletions and replacements come from the steps of a plan.
    One price book prices both sides.

    A revision of git, as in `gpucluster cost diff main HEAD --stack aws-trial`, is previewed from scratch in its own
    working tree, with the packages installed here; the result lists what NEW no longer has.

    `gpucluster schema cost-diff` describes json; csv has a row for each line that changes. Markdown is a comment for a
    pull request, of at most 65,536 characters, with a hidden marker in its last line to find it again.

    A line that loses or gains its price is not a change of cost. If only such lines decide between more and less, the
    verdict is "cannot tell", with the known cost of both sides.

    Exit code 0: also if it cannot be evaluated. 1: NEW is over the budget that the components state, or storage or
    reserved capacity is deleted or replaced. 3: also a preview that fails.
    """
    if stack is not None and command is not None:
        raise click.UsageError("--stack and --run are two ways to preview a revision; give one of them")
    by = None if command is None else tuple(_split(command))
    by = preview_of(stack) if stack is not None else by
    say = partial(click.echo, err=True) if not quiet else _nothing
    preview = None if by is None else partial(plan_of, command=by, say=say)
    found = changed(*sides_of(old, new, PriceBook.in_use(prices), assumptions, preview))
    write(diff_document(found), form, output)
    verdict = budget_verdict(found.new.estimate)
    if not quiet and form == "json" and verdict is not None:
        click.echo(verdict.sentence, err=True)
    if found.losses or (verdict is not None and verdict.outcome == "over"):
        raise SystemExit(Exit.FINDINGS)


def _split(command: str) -> list[str]:
    """The words of a command. click.BadParameter if it cannot be split."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise click.BadParameter(f"{command!r}: {error}; close every quote", param_hint="--run") from None
    if not words:
        raise click.BadParameter("it is empty; write a command that prints a plan", param_hint="--run")
    return words


def _nothing(_: str) -> None:
    """Discards messages."""
