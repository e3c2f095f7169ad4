"""Options that several commands take, and that mean the same in each."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TextIO, TypeVar

import click

from gpucluster.cost.assumptions import Assumptions
from gpucluster.cost.prices import PRICES_VARIABLE

__all__ = ["FINDINGS", "form", "name_of", "output", "presentation", "prices", "pricing"]

FINDINGS: Final = 1
"""Exit code where something was found: over budget, or what the command looks for."""

_Command = TypeVar("_Command", bound=Callable[..., Any])

output = click.option(
    "--output", type=click.File("w", encoding="utf-8", lazy=True), default="-", help="Write here, not to stdout."
)

prices = click.option(
    "--prices", metavar="FILE", help=f"CSV file of your own prices, before {PRICES_VARIABLE} and the book."
)


def form(*forms: str) -> Callable[[_Command], _Command]:
    """`--format`, one of `forms`; the first unless another is asked for."""
    return click.option("--format", "form", type=click.Choice(forms), default=forms[0], show_default=True)


def presentation(command: _Command) -> _Command:
    """`--output`, `--color` and `--quiet`.

    No command of ours has colour; the option is there because it is in all of them.
    """
    for option in reversed(
        (
            output,
            click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True),
            click.option("--quiet", is_flag=True, help="No remarks on stderr."),
        )
    ):
        command = option(command)
    return command


def pricing(command: _Command) -> _Command:
    """What an estimate is made with: `--usage`, `--expected-share` and `--assume`, as `assumptions`, and `--prices`."""

    @functools.wraps(command)
    def with_assumptions(
        *args: Any, usage: str | None, expected_share: str | None, assume: tuple[str, ...], **rest: Any
    ) -> Any:
        return command(*args, assumptions=_assumptions(usage, expected_share, assume), **rest)

    found: Any = with_assumptions
    for option in reversed(
        (
            click.option(
                "--usage", metavar="FILE", help="Usage file; `gpucluster cost usage init` writes a first one."
            ),
            click.option(
                "--expected-share", metavar="0..1", help="Share of an autoscaled pool's limit that runs on average."
            ),
            click.option(
                "--assume",
                metavar="NAME=VALUE",
                multiple=True,
                help="Usage of every resource, before that of the file; `gpucluster cost usage names` lists the names.",
            ),
            prices,
        )
    ):
        found = option(found)
    return found


def _assumptions(usage: str | None, expected_share: str | None, assume: Sequence[str]) -> Assumptions:
    """The assumptions that options set. click.BadParameter and BadUsage say what is wrong with them."""
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
    base = Assumptions()
    if usage is not None:
        from gpucluster.cost.usage.file import read_usage  # reads YAML, which few runs need

        base = read_usage(Path(usage))
    try:
        found = base.with_values(values)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--assume") from None
    return found if found.exceptions is None else replace(found, exceptions=found.exceptions.without(values))


def name_of(file: TextIO) -> str:
    """What messages call a file."""
    return "stdin" if file.name == "<stdin>" else file.name
