"""The source of a report: a file, stdin, or a command to run, with overridden spec values if requested."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import TextIO

import click

from gpucluster.cost.commands.options import name_of
from gpucluster.program.readers.command import arguments_of, run
from gpucluster.program.readers.errors import NotReadable


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


def heard(what_if: Sequence[str], settings: Sequence[str]) -> None:
    """NotReadable if the program did not use the overridden values: its cost would be of the wrong spec."""
    if len(what_if) < len(settings):
        raise NotReadable(
            f"the program used {len(what_if)} of {len(settings)} values of --set: no component reports that it "
            "used them; --set works for the clusters of this repository"
        )
