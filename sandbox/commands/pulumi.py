"""`gpucluster sandbox pulumi`: the real Pulumi engine against simulated clouds."""

from __future__ import annotations

import sys
from typing import Any

import click


@click.command(
    name="pulumi",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("args", nargs=-1, type=click.UNPROCESSED, help="Command and options of Pulumi.")
@click.pass_obj
def pulumi(options: dict[str, Any], args: tuple[str, ...]) -> None:
    """Run any Pulumi command.

    For example `gpucluster sandbox pulumi preview --stack NAME`. The exit code is Pulumi's, or 2 if the program rejects
    the user's input and reports it in the file SANDBOX_INPUT_ERROR.

    State and ledger are under .sandbox/ of the project. Only `config set` and `config rm` write a stack's file; `-c
    key=value` applies to one run.
    """
    from gpucluster.sandbox.run.run import run

    sys.exit(run(args, **options))
