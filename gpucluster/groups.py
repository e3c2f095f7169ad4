"""Groups of commands: each command is imported on use, and every error becomes text on stderr and an exit code."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, Final, NoReturn

import click

from gpucluster.core.text.terminal import Program, working
from gpucluster.errors import Error, Exit, InputError, place_of

AT_TERMINAL: Final = frozenset(
    [
        "burn-in",
        "connect",
        "init",
        "kubectl",
        "logs",
        "pause",
        "pulumi",
        "reap",
        "recover",
        "rehearse",
        "reset",
        "resume",
        "run",
    ]
)
"""Commands that ask, or run another program at the terminal. All others show there that they still work."""


class Later(click.Command):
    """A command that is imported on use; help and completion need only its summary.

    where: `module:attribute` of the command. summary: the first sentence of its help.
    """

    def __init__(self, name: str, where: str, summary: str) -> None:
        super().__init__(name, short_help=summary)
        self.where = where

    def load(self) -> click.Command:
        """The command itself."""
        module, _, attribute = self.where.partition(":")
        return getattr(import_module(module), attribute)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if self.name not in AT_TERMINAL and parent is not None and "--quiet" not in args:
            parent.with_resource(working(f"{parent.command_path} {info_name}"))
        return self.load().make_context(info_name, args, parent, **extra)


_ALIASES: Final = {"permissions": "rights"}
"""Other names of commands, which help does not list."""


class Group(click.Group):
    """Lists its commands in the order of definition."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or super().get_command(ctx, _ALIASES.get(cmd_name, cmd_name))

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.commands)


class Main(Group, Program):
    """Converts every error to text on stderr and an exit code."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.ClickException as error:
            raise _refused(error) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Error as error:
            _end(ctx, error.exit_code, _shown(error))
        except UnicodeDecodeError:
            _end(ctx, Exit.INPUT, "error: the input is not UTF-8 text")
        except click.ClickException as error:
            raise _refused(error) from None
        except (click.Abort, KeyboardInterrupt):
            _end(ctx, Exit.INTERRUPTED)
        except BrokenPipeError:
            _end(ctx, Exit.OK)
        except OSError as error:
            from gpucluster.sandbox.machine.disk import cause

            if refused := cause(error):
                _end(ctx, Exit.INPUT, f"error: {refused}")
            _end(ctx, Exit.FAULT, _fault(error))
        except click.exceptions.Exit:
            raise
        except Exception as error:
            from gpucluster.core.environment import lacking

            missing = lacking(error)
            _end(ctx, Exit.INPUT if missing else Exit.FAULT, f"error: {missing}" if missing else _fault(error))


def _fault(error: Exception) -> str:
    return f"error: internal error (please report): {type(error).__name__} in {place_of(error)}"


def _end(ctx: click.Context, code: Exit, text: str = "") -> NoReturn:
    if text:
        click.echo(text, err=True)
    ctx.exit(code)


def _refused(error: click.ClickException) -> click.exceptions.Exit:
    """The end of a command that click refuses, after printing the mistake like that of any other input. A group without
    arguments prints its help instead.
    """
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    elif isinstance(error, click.UsageError):
        click.echo(_shown(InputError("command line", [_mistake(error)])), err=True)
    else:
        message = error.format_message()
        click.echo(f"error: {message[:1].lower()}{message[1:]}", err=True)
    return click.exceptions.Exit(Exit.INPUT)


def _mistake(error: click.UsageError) -> str:
    """The option or argument, its value, and the values allowed, or where they are described."""
    described = "" if error.ctx is None else f"; see `{error.ctx.command_path} --help`"
    if isinstance(error, click.MissingParameter):
        return f"{_name_of(error)} is missing{described}"
    if isinstance(error, click.BadParameter):
        name, choice = _name_of(error), _CHOICE.fullmatch(error.message)
        if choice is None:
            return f"{name}: {error.message.rstrip('.')}"
        return f"{name} is {choice[1]}; allowed: {choice[2].replace(_QUOTE, '')}"
    message = error.format_message().rstrip(".")
    if not message.startswith(_OF_CLICK):
        return message
    wrong, meant, name = message.partition(". Did you mean ")
    return f"{wrong[0].lower()}{wrong[1:]}{f'; did you mean {name}' if meant else described}".replace(_QUOTE, "")


_CHOICE: Final = re.compile(r"(.*) is not one of (.*)\.", re.DOTALL)
_QUOTE: Final = "'"
_OF_CLICK: Final = ("No such", "Got unexpected", "Option ")
"""How click's own messages begin, which name no change to make."""


def _name_of(error: click.BadParameter) -> str:
    """The option or argument as it is written."""
    if error.param_hint is not None:
        return error.param_hint if isinstance(error.param_hint, str) else " or ".join(error.param_hint)
    assert error.param is not None, error
    is_option = isinstance(error.param, click.Option)
    return max(error.param.opts, key=len) if is_option else error.param.human_readable_name.split()[0].strip(".")


def _shown(error: Error) -> str:
    """The message under `error:`. Input errors are one mistake per line; indented lines belong to the previous one,
    as do further lines of a fault."""
    each = isinstance(error, InputError)
    lines = str(error).splitlines() or [type(error).__name__]
    return "\n".join(
        f"error: {line}" if number == 0 or (each and not line.startswith(" ")) else line
        for number, line in enumerate(lines)
    )
