"""Output to a terminal. Names, types, tags and messages come from plans, states, logs and specs of others.

A terminal executes the control characters in them: it moves, hides or rewrites text, and some of them reverse
its direction. Only `Program` removes them, for all commands: standard output and standard error of its commands
contain no control character except line ends and tabs. JSON already escapes them.
"""

from __future__ import annotations

import io
import os
import re
import sys
import threading
import unicodedata
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final, TextIO

import click

_ODD: Final = re.compile(r"[^\n\t -~]")
_CONTROLS: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of control characters, format characters such as direction marks, lone surrogates, and line and
paragraph separators."""


def plain(text: str) -> str:
    """The text with every control character in Python's escaped form, such as \\x1b; line ends and tabs stay."""
    return _ODD.sub(lambda found: _shown(found[0]), text)


def _shown(character: str) -> str:
    if unicodedata.category(character) not in _CONTROLS:
        return character
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


class OutputError(click.ClickException):
    """Standard output or standard error cannot be written, such as a file on a full disk."""

    exit_code = 2

    def __init__(self, stream: TextIO, error: OSError) -> None:
        name = {"<stdout>": "standard output", "<stderr>": "standard error"}.get(stream.name, stream.name)
        super().__init__(f"{name} cannot be written: {error.strerror}")

    def show(self, file: IO[str] | None = None) -> None:
        click.echo(f"error: {self.message}", file=file, err=file is None)


@contextmanager
def _writing(stream: TextIO) -> Generator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(stream, error) from error


class _Plain(io.TextIOWrapper):
    """A stream over the bytes of another. It writes UTF-8 immediately, and all text as plain text."""

    def __init__(self, beneath: TextIO) -> None:
        super().__init__(beneath.buffer, encoding="utf-8", write_through=True)
        self.beneath = beneath

    def write(self, text: str, /) -> int:
        _quiet_since_now()
        with _writing(self.beneath):
            super().write(plain(text))
        return len(text)

    def flush(self) -> None:
        with _writing(self.beneath):
            super().flush()

    def close(self) -> None:
        """Leaves the bytes open: they belong to the underlying stream."""
        self.flush()


def beneath(stream: TextIO) -> TextIO:
    """The original stream, for our own styles around text that is already plain."""
    # click opens the file of an option only when it is used.
    opened: Callable[[], TextIO] | None = getattr(stream, "open", None)
    found = stream if opened is None else opened()
    if not isinstance(found, _Plain):
        return found
    _quiet_since_now()
    return found.beneath


def shows_styles(stream: TextIO) -> bool:
    """Whether the stream is a terminal that shows bold and dim text, and its user wants it (no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def styled(text: str, stream: TextIO, **style: Any) -> str:
    """The text as plain text, in one of click's styles if the terminal of `stream` shows it."""
    shown = plain(text)
    return click.style(shown, **style) if style and shows_styles(beneath(stream)) else shown


def show(text: str, stream: TextIO) -> None:
    """Prints text whose only control characters are those of `styled`."""
    click.echo(text, file=beneath(stream))


def note(text: str) -> None:
    """Prints a remark of this package beside the output of another program, dim on terminals that show it."""
    show(styled(text, sys.stderr, dim=True), sys.stderr)


class _Waiting:
    """Tells on a terminal that work goes on, whenever nothing else was written for some seconds."""

    def __init__(self, terminal: TextIO, text: str) -> None:
        self._terminal = terminal
        self._text = text
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._shown: Any = None

    def restart(self) -> None:
        """Hides the text, because something else is written, until the next silence."""
        with self._lock:
            self._hide()
            self._timer = threading.Timer(_SILENCE, self._show)
            self._timer.daemon = True
            self._timer.start()

    def end(self) -> None:
        """Hides the text for good."""
        with self._lock:
            self._hide()

    def _hide(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._shown is not None:
            self._shown.stop()
            self._shown = None

    def _show(self) -> None:
        # Slow, and only for long commands at terminals.
        from rich.console import Console
        from rich.live import Live
        from rich.spinner import Spinner

        with self._lock:
            if self._timer is not None:
                spinner, console = Spinner("dots", self._text), Console(file=self._terminal)
                self._shown = Live(
                    spinner, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
                )
                self._shown.start()


_SILENCE: Final = 2.0
"""Seconds without output after which a terminal shows that a command still works."""
_waiting: list[_Waiting] = []


def _quiet_since_now() -> None:
    for each in _waiting:
        each.restart()


@contextmanager
def working(text: str) -> Generator[None]:
    """Shows on a terminal that work goes on, after two seconds without output. Elsewhere, nothing is written, nor with
    NO_COLOR, which asks for output without escape codes.
    """
    terminal = beneath(sys.stderr)
    plain_output = os.environ.get("TERM") == "dumb" or os.environ.get("NO_COLOR")
    if not terminal.isatty() or plain_output or _waiting:
        yield
        return
    waiting = _Waiting(terminal, plain(text))
    _waiting.append(waiting)
    waiting.restart()
    try:
        yield
    finally:
        _waiting.clear()
        waiting.end()


@contextmanager
def lent() -> Generator[None]:
    """The terminal is another program's: the text of `working` is hidden, which would stand in that program's lines."""
    hidden = _waiting.copy()
    _waiting.clear()
    for each in hidden:
        each.end()
    try:
        yield
    finally:
        _waiting.extend(hidden)
        _quiet_since_now()


def _open_closed() -> None:
    """Opens standard streams that the caller closed, as cron and daemons do, on the null device.

    Otherwise the next file would have the number of such a stream, and receive what other programs write to it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # It gets the lowest free number, which is that of the closed stream.
            stream = Path(os.devnull).open(mode)  # noqa: SIM115  # open as long as the process
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)


class Program(click.Group):
    """The commands of a console script."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        _open_closed()
        sys.stdout, sys.stderr = (_Plain(beneath(stream)) for stream in (sys.stdout, sys.stderr))
        return super().main(*args, **kwargs)
