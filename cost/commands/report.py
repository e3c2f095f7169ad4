"""The source of a report: a file, stdin, or a command to run, with overridden spec values if requested."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TextIO

import click

from gpucluster.core.documents.formats import width_for, write
from gpucluster.core.program.closing import in_full
from gpucluster.core.program.readers.files import Read, arguments_of, read_file, run
from gpucluster.core.program.readers.records import NotReadable
from gpucluster.core.program.resources import Resources
from gpucluster.core.text.terminal import beneath
from gpucluster.cost.commands.options import name_of, pricing
from gpucluster.cost.documents.closing import closing_lines, totals
from gpucluster.cost.documents.focus import FORMS, as_focus
from gpucluster.cost.documents.report.groups import groups_document
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.estimate.budgets import budget_verdict
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.estimate.labels import group_by, labels_of
from gpucluster.cost.estimate.usage import check_names
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.errors import Exit
from gpucluster.options import form_of, output, plan_argument, quiet


def source_of(file: TextIO | None, command: str | None, settings: Sequence[str], *, quiet: bool) -> tuple[str, str]:
    """(text of a plan or state, its name in messages)."""
    values: dict[str, str] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"{setting!r} is not FIELD=VALUE; write for example nodes=8", param_hint="--set")
        if name in values:
            raise click.BadParameter(f"{name} is given twice; keep one of them", param_hint="--set")
        values[name] = value
    if command is None:
        if values:
            raise click.UsageError(
                "--set needs --run, because a plan file is fixed; add, for example, --run 'pulumi preview'"
            )
        source = file or sys.stdin
        return source.read(), name_of(source)
    if file is not None:
        raise click.UsageError(f"give FILE or --run, not both: {name_of(file)} and {command!r}")
    words = arguments_of(command)
    if not quiet:
        click.echo(f"running {shlex.join(words)}", err=True)
    return run(words, values, quiet=quiet), shlex.join(words)


def check_settings(what_if: Sequence[str], settings: Sequence[str]) -> None:
    """NotReadable if the program did not use the overridden values: its cost would be of the wrong spec."""
    if len(what_if) < len(settings):
        raise NotReadable(
            f"the program used {len(what_if)} of {len(settings)} values of --set: no component reports that it "
            "used them; --set works for the clusters of this repository"
        )


def before_of(read: Read, book: PriceBook, assumptions: Assumptions) -> str | None:
    """The total before a plan's update, at the same prices; None without a plan, and for a first one."""
    existing = read.existing() if read.is_plan else Resources([])
    return totals(estimate(existing, book, assumptions))["monthly"] if len(existing) else None


@click.command()
@plan_argument(required=False)
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
@form_of("table", "json", "csv", "markdown", "html", *FORMS)
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

    `gpucluster schema cost-report` describes json. csv has a row for each line, and one without an amount for each
    thing that has no price. markdown is short, with folded details, at most 65,536 characters. html is one page that
    needs no network, with charts by part, by label, by purchase option, and every line. focus is FOCUS 1.2 in CSV, for
    other FinOps tools, without what has no price; focus-1.3 and focus-1.4 are later versions of it.

    --group-by assigns every line to the label value of its resource, its own or from its provider's defaults, and else
    to "(no label)"; the total is the same. Without it the page shows the labels that cover most of the cost.

    --run runs a command, without a shell, and reads its output; a preview gets --json --show-sames. --set overrides
    values of the spec in a program of this repository, for this preview only: nothing is written.

    Exit code 1: over the budget that the components state.
    """
    book = PriceBook.in_use(prices)
    text, what = source_of(file, command, settings, quiet=quiet)
    read = read_file(text, what)
    resources = read.resources
    check_names(assumptions, resources)
    found = estimate(resources, book, assumptions)
    check_settings(found.facts.what_if, settings)
    groupings = [group_by(found, resources, label) for label in dict.fromkeys(labels)]
    title, options = f"Cost of {what}", None
    if form == "html":
        from gpucluster.cost.purchasing import options_of  # slow to import

        groupings = groupings or [group_by(found, resources, label) for label in labels_of(found, resources)]
        options = options_of(resources, book, assumptions=assumptions)
        title = f"Cost of {resources.stack or what}"
    if form in FORMS:
        output.write(as_focus(found, resources, book, FORMS[form]) + "\n")
    elif form == "table" and groupings:
        for number, grouping in enumerate(groupings):
            output.write("\n" if number else "")
            write(groups_document(grouping, found, title), form, output)
    else:
        brief = form == "table" and not in_full() and beneath(output).isatty()
        document = report_document(found, title, resources.stack, groupings, options, brief=brief)
        if form == "html":
            from gpucluster.core.documents.html import origin_of  # slow to import

            document = replace(document, origin=origin_of(resources.stack, book.today, Path.cwd()))
        # Only a table ends with them, and the state before the update is priced for them.
        last = closing_lines(found, before=before_of(read, book, assumptions)) if form == "table" else ()
        write(document, form, output, last)
    if form in FORMS and found.not_priced and not quiet:
        click.echo(f"{len(found.not_priced)} not priced, and not in the rows: x_Complete is false", err=True)
    verdict = budget_verdict(found)
    if verdict is None:
        return
    if not quiet and (form != "table" or labels):
        text = verdict.sentence
        click.echo(click.wrap_text(text, width_for(sys.stderr)) if sys.stderr.isatty() else text, err=True)
    if verdict.outcome == "over":
        raise SystemExit(Exit.FINDINGS)
