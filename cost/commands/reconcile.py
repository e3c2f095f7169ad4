"""`gpucluster cost reconcile`."""

from __future__ import annotations

import sys
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TextIO

import click

from gpucluster.core.documents.formats import write
from gpucluster.core.program.readers.files import read_text, run
from gpucluster.cost.bills.matching import stack_charges
from gpucluster.cost.bills.planned import planned_lines
from gpucluster.cost.bills.read import read_bills
from gpucluster.cost.bills.reconciliation import Reconciled
from gpucluster.cost.bills.reconciliation import reconcile as reconciled
from gpucluster.cost.bills.usage import DerivedUsage, derive_usage, prices_text, usage_text
from gpucluster.cost.commands.options import name_of, pricing
from gpucluster.cost.documents.reconciliation.reconciliation import reconciliation_document
from gpucluster.cost.estimate.estimate import estimate
from gpucluster.cost.estimate.usage import check_names
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.assumptions import Assumptions
from gpucluster.errors import Exit
from gpucluster.options import form_of, output, plan_argument, quiet, stack_option

_FILE = click.Path(path_type=Path, dir_okay=False)
_DAY = click.DateTime(formats=["%Y-%m-%d"])


@click.command()
@plan_argument(required=False)
@click.option("--bill", "bills", metavar="FILE", type=_FILE, multiple=True, required=True,
              help="Bill in FOCUS or CUR 2.0, as CSV (.gz too) or Parquet; repeatable.")  # fmt: skip
@stack_option("Stack to preview in the sandbox instead of reading FILE.")
@click.option("--from", "start", metavar="DATE", type=_DAY, help="First day.  [default: the first on the bill]")
@click.option("--to", "end", metavar="DATE", type=_DAY, help="Day after the last one.  [default: from the bill]")
@click.option("--write-usage", metavar="FILE", type=_FILE, help="Write the learned usage to a new FILE, for --usage.")
@click.option("--write-prices", metavar="FILE", type=_FILE, help="Write the prices paid to a new FILE, for --prices.")
@form_of("table", "json", "csv", "markdown")
@output
@quiet
@pricing
def reconcile(
    file: TextIO | None,
    bills: tuple[Path, ...],
    stack: str | None,
    start: datetime | None,
    end: datetime | None,
    write_usage: Path | None,
    write_prices: Path | None,
    form: str,
    output: TextIO,
    quiet: bool,
    assumptions: Assumptions,
    prices: str | None,
) -> None:
    """Compare a bill with a plan or state.

    Lists every line as planned and billed, for the days of the bill, with the reasons of the difference: hours, usage,
    price, commitment, missing on the bill, no price in the plan; then charges that are not in the plan, and the
    accuracy of the estimate. Charges are matched by the labels of the whole stack, by the names in them, and for a
    state by the ids of its resources. Billed means EffectiveCost, with commitments spread over what they cover; the
    amount on the invoice, BilledCost, is listed next to it. Credits, taxes, purchases and refunds are separate.

    Reads FOCUS 1.0 to 1.4 of any cloud and AWS's CUR 2.0. A row in several files counts once, with the values of the
    last file. Rows that cannot be read are reported by line and column, and excluded. Amounts in currencies other
    than USD are listed, not added. `gpucluster schema cost-reconcile` describes json.

    Exit code 1: a row or file could not be read.
    """
    _free(write_usage, "--write-usage")
    _free(write_prices, "--write-prices")
    if start and end and end <= start:
        raise click.BadParameter(f"{end:%Y-%m-%d} is not after --from {start:%Y-%m-%d}", param_hint="--to")
    if stack is not None and file is not None:
        raise click.UsageError(f"give FILE or --stack, not both: {name_of(file)} and {stack!r}")
    book = PriceBook.in_use(prices)
    resources = read_text(*_plan(file, stack, quiet=quiet))
    check_names(assumptions, resources)
    lines, charges = planned_lines(estimate(resources, book, assumptions)), stack_charges(resources)
    read = read_bills(bills, charges.wanted, _day(start), _day(end))
    found = reconciled(read, lines, resources, charges, _day(start), _day(end))
    learned = derive_usage(found, resources, book, assumptions)
    write(reconciliation_document(found, learned, resources.stack), form, output)
    _write(found, learned, ", ".join(path.name for path in bills), write_usage, write_prices)
    if read.faults:
        click.echo("\n".join(read.faults), err=True)
        raise SystemExit(Exit.FINDINGS)


def _free(path: Path | None, option: str) -> None:
    if path is not None and path.exists():
        raise click.BadParameter(f"{path} exists; name a file that does not", param_hint=option)


def _day(moment: datetime | None) -> date | None:
    return None if moment is None else moment.date()


def _plan(file: TextIO | None, stack: str | None, *, quiet: bool) -> tuple[str, str]:
    """(text of a plan or state, its name in messages)."""
    if stack is None:
        source = file or sys.stdin
        return source.read(), name_of(source)
    command = [sys.executable, "-P", "-m", "gpucluster", "sandbox", "pulumi", "preview", "--json", "--show-sames"]
    return run([*command, "--stack", stack], {}, quiet=quiet), f"the preview of {stack}"


def _write(found: Reconciled, learned: DerivedUsage, bills: str, usage: Path | None, prices: Path | None) -> None:
    last = (found.window.end - timedelta(seconds=1)).date()
    source = f"bill {bills}, {found.window.start:%Y-%m-%d} to {last:%Y-%m-%d}"
    if usage is not None:
        usage.write_text(usage_text(learned, source), encoding="utf-8")
        click.echo(f"{usage} written. Next: gpucluster cost report --usage {usage}", err=True)
    if prices is not None and not learned.prices:
        click.echo(f"{prices} is not written: all prices paid are those of the book", err=True)
    elif prices is not None:
        prices.write_text(prices_text(learned, source, f"{last:%Y-%m-%d}"), encoding="utf-8")
        click.echo(f"{prices} written. Next: gpucluster cost report --prices {prices}", err=True)
