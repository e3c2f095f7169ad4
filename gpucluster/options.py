"""Options and arguments with the same meaning in every command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

_Command = TypeVar("_Command", bound=Callable[..., Any])


class _StackName(click.ParamType[str]):
    """A stack by its name. An empty one is refused: Pulumi reads it as the selected stack, and a script with
    `--stack "$STACK"` means another.
    """

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if not str(value).strip():
            alternative = "" if param is not None and param.required else ", or remove the option"
            self.fail(f"{value!r} is empty; write a stack name{alternative}", param, ctx)
        return str(value)


STACK: Final = _StackName()


def stack_option(text: str, **more: Any) -> Callable[[_Command], _Command]:
    """`--stack`, `-s`. text: its help. more: click's `required` or `multiple`, and so on."""
    return click.option("--stack", "-s", *more.pop("names", ()), type=STACK, metavar="NAME", help=text, **more)


output: Final = click.option(
    "--output",
    "-o",
    metavar="FILE",
    type=click.File("w", encoding="utf-8", lazy=True),
    default="-",
    help="Write to FILE instead of stdout.",
)

quiet: Final = click.option("--quiet", is_flag=True, help="Print only the result, without progress and hints.")


def plan_argument(**when_left_out: Any) -> Callable[[_Command], _Command]:
    """FILE, a plan or state. when_left_out: click's `default`, or `required`."""
    return click.argument(
        "file",
        type=click.File(encoding="utf-8"),
        help="Plan (`pulumi preview --json --show-sames`) or state (`pulumi stack export`).  [default: -, for stdin]",
        **when_left_out,
    )


FORMS: Final = ("table", "json", "csv", "markdown", "html", "focus", "focus-1.3", "focus-1.4", "sarif", "junit")
"""The formats of output; a command has some of them, in this order."""

_OLD_FORMS: Final = {"text": "table"}


class _Form(click.Choice[str]):
    """A format of output. The names of earlier versions are accepted, and not listed."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        return super().convert(_OLD_FORMS.get(value, value), param, ctx)


def form_of(*forms: str) -> Callable[[_Command], _Command]:
    """`--format`, one of `forms`; the first by default."""
    return click.option(
        "--format", "form", type=_Form(forms), default=forms[0], show_default=True, help="Output format."
    )
