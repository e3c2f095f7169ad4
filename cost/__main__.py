"""`cost`: what a plan or a state costs, how that changes, and where each price comes from."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, version

import click

from gpucluster.cost.commands.advise import advise
from gpucluster.cost.commands.budgets import budgets
from gpucluster.cost.commands.compare import compare
from gpucluster.cost.commands.diff import diff
from gpucluster.cost.commands.explain import explain
from gpucluster.cost.commands.prices import prices
from gpucluster.cost.commands.purchase_options import options
from gpucluster.cost.commands.report import report
from gpucluster.cost.commands.tco import tco
from gpucluster.cost.commands.types import types
from gpucluster.cost.commands.usage import usage
from gpucluster.cost.prices import BadPrices, DamagedBook
from gpucluster.cost.sources.errors import NotReadable
from gpucluster.cost.usage import BadUsage
from gpucluster.textio.terminal import Program

__all__ = ["command", "main"]

INPUT, CRASH = 2, 3
"""Exit codes: the user's input; our fault."""


def _version() -> str:
    try:
        return version("gpucluster")
    except PackageNotFoundError:
        return "unknown"


@click.group("cost", cls=Program)
@click.version_option(_version(), prog_name="cost")
def command() -> None:
    """What a Pulumi plan or state costs a month, line by line, with the source of every price."""


for _one in (report, diff, compare, options, tco, advise, budgets, explain, usage, types, prices):
    command.add_command(_one)


def main() -> None:
    """The console script: one clear line for each error, and the exit codes above."""
    try:
        command.main(standalone_mode=False)
    except (NotReadable, BadPrices, BadUsage) as error:
        for line in str(error).splitlines():
            click.echo(f"error: {line}", err=True)
        sys.exit(INPUT)
    except DamagedBook as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(CRASH)
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
