"""`cost`: what a plan or a state costs. `cost report FILE`, `cost compare FILE FILE...`, `cost types`."""

from __future__ import annotations

import json
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Literal, TextIO

import click

from cost.assumptions import Assumptions
from cost.comparison import compare
from cost.comparison.files import columns_of
from cost.estimate import estimate
from cost.free import free_types
from cost.prices import PRICES_VARIABLE, BadPrices, PriceBook
from cost.registry import priced_types
from cost.render.comparison_json import comparison_json
from cost.render.comparison_markdown import comparison_markdown
from cost.render.comparison_table import comparison_table
from cost.render.json import as_json
from cost.render.layout import width_for
from cost.render.table import as_table
from cost.sources.errors import NotReadable
from cost.sources.files import read_text
from cost.verdict import budget_verdict

__all__ = ["command", "main"]

FINDINGS, INPUT, CRASH = 1, 2, 3
"""Exit codes: over budget; the user's input; our fault."""


def _version() -> str:
    try:
        return version("gpucluster")
    except PackageNotFoundError:
        return "unknown"


@click.group("cost")
@click.version_option(_version(), prog_name="cost")
def command() -> None:
    """What a Pulumi plan or state costs a month, line by line, with the source of every price."""


@command.command()
@click.argument("file", type=click.File(encoding="utf-8"), default="-")
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
@click.option(
    "--output", type=click.File("w", encoding="utf-8", lazy=True), default="-", help="Write here, not to stdout."
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@click.option("--quiet", is_flag=True, help="No remarks on stderr.")
@click.option("--expected-share", metavar="0..1", help="Share of an autoscaled pool's limit that runs on average.")
@click.option("--assume", metavar="NAME=VALUE", multiple=True, help=f"One of {', '.join(Assumptions.names())}.")
@click.option("--prices", metavar="FILE", help=f"CSV file of your own prices, before {PRICES_VARIABLE} and the book.")
def report(
    file: TextIO,
    form: Literal["table", "json"],
    output: TextIO,
    color: Literal["auto", "always", "never"],
    quiet: bool,
    expected_share: str | None,
    assume: tuple[str, ...],
    prices: str | None,
) -> None:
    """Cost of FILE (- for stdin): `pulumi preview --json --show-sames` or `pulumi stack export`.

    Exit code 0, 1 over the budget that the components state, 2 input, 3 a fault of this tool.
    """
    what = "stdin" if file.name == "<stdin>" else file.name
    assumptions = _assumptions(expected_share, assume)
    book = PriceBook.in_use(prices)
    found = estimate(read_text(file.read(), what), book, assumptions)
    if form == "json":
        text = json.dumps(as_json(found), indent=2)
    else:
        text = as_table(found, f"Cost of {what}", width_for(output))
    del color  # the table has no colour; the option is there because every command of ours takes it
    output.write(text + "\n")
    verdict = budget_verdict(found)
    if verdict is None:
        return
    if not quiet and form == "json":
        click.echo(verdict.sentence, err=True)
    if verdict.outcome == "over":
        raise SystemExit(FINDINGS)


@command.command("compare")
@click.argument("files", type=click.File(encoding="utf-8"), nargs=-1, required=True, metavar="FILE FILE...")
@click.option("--format", "form", type=click.Choice(["table", "json", "markdown"]), default="table", show_default=True)
@click.option(
    "--output", type=click.File("w", encoding="utf-8", lazy=True), default="-", help="Write here, not to stdout."
)
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@click.option("--quiet", is_flag=True, help="No remarks on stderr.")
@click.option("--expected-share", metavar="0..1", help="Share of an autoscaled pool's limit that runs on average.")
@click.option("--assume", metavar="NAME=VALUE", multiple=True, help=f"One of {', '.join(Assumptions.names())}.")
@click.option("--prices", metavar="FILE", help=f"CSV file of your own prices, before {PRICES_VARIABLE} and the book.")
def compare_(
    files: tuple[TextIO, ...],
    form: Literal["table", "json", "markdown"],
    output: TextIO,
    color: Literal["auto", "always", "never"],
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
    del color, quiet  # no colour and no remarks here; the options are there because every command of ours takes them
    found = compare(columns_of(files, PriceBook.in_use(prices), _assumptions(expected_share, assume)))
    if form == "json":
        text = json.dumps(comparison_json(found), indent=2)
    else:
        text = comparison_markdown(found) if form == "markdown" else comparison_table(found, width_for(output))
    output.write(text + "\n")


@command.command()
@click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
def types(form: Literal["table", "json"]) -> None:
    """The resource types that are priced, and those that are free, with sources."""
    priced = {name: (handler.__doc__ or "").strip().splitlines()[0] for name, handler in priced_types().items()}
    free = free_types()
    if form == "json":
        listed = {name: {"why": why, "source": source} for name, (why, source) in free.items()}
        click.echo(json.dumps({"schema_version": 1, "priced": priced, "free": listed}, indent=2))
        return
    click.echo(f"Priced ({len(priced)})")
    for name, text in priced.items():
        click.echo(f"  {name}\n      {text}")
    click.echo(f"\nFree ({len(free)})")
    for name, (why, source) in free.items():
        click.echo(f"  {name}\n      {why} ({source})")
    click.echo("\nAny other type is named as not priced.")


def _assumptions(expected_share: str | None, assume: tuple[str, ...]) -> Assumptions:
    values: dict[str, str] = {}
    for item in assume:
        name, equals, value = item.partition("=")
        if not equals:
            raise click.BadParameter(
                f"{item!r} is not NAME=VALUE; write for example nat_gib=500", param_hint="--assume"
            )
        values[name.replace("-", "_")] = value
    if expected_share is not None:
        values["expected_share"] = expected_share
    try:
        return Assumptions().with_values(values)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--assume") from None


def main() -> None:
    """The console script: one clear line for each error, and the exit codes above."""
    try:
        command.main(standalone_mode=False)
    except (NotReadable, BadPrices) as error:
        for line in str(error).splitlines():
            click.echo(f"error: {line}", err=True)
        sys.exit(INPUT)
    except UnicodeDecodeError:
        click.echo("error: the file is not text; give a plan or state file in JSON", err=True)
        sys.exit(INPUT)
    except click.ClickException as error:
        error.show()
        sys.exit(INPUT)
    except click.Abort:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(0)
    except Exception as error:
        click.echo(f"error: cost failed, which is a fault of this tool: {type(error).__name__}: {error}", err=True)
        sys.exit(CRASH)


if __name__ == "__main__":
    main()
