"""What reaches a terminal."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import click
import pytest

from gpucluster.core.text.terminal import Program, beneath, plain, shows_styles
from tests.terminal import in_terminal


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\nof two lines: ├─ é 漢字", "plain\ttext\nof two lines: ├─ é 漢字"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("bell\x07, back\x08, null\x00, delete\x7f", r"bell\x07, back\x08, null\x00, delete\x7f"),
        ("return\r\n", "return\\r\n"),
        ("C1: \x9b31m \x85", r"C1: \x9b31m \x85"),
        ("\u202eright to left\u2066", r"\u202eright to left\u2066"),
        ("line\u2028separator, zero\u200bwidth", r"line\u2028separator, zero\u200bwidth"),
        ("half a pair: \ud800; tag: \U000e0041", r"half a pair: \ud800; tag: \U000e0041"),
    ],
)  # fmt: skip
def test_control_characters_are_shown_and_not_obeyed(text: str, shown: str) -> None:
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("terminal", "variables", "shown"),
    [
        (True, {"TERM": "xterm"}, True),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
        (False, {"TERM": "xterm"}, False),
    ],
)
def test_styles_are_for_terminals_that_show_them(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, variables: dict[str, str], shown: bool
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: terminal)
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert shows_styles(stream) == shown


@click.group(cls=Program)
def program() -> None:
    """A console script."""


@program.command()
@click.argument("text")
@click.option("--output", type=click.File("w", encoding="utf-8", lazy=True), default="-")
def say(text: str, output: io.TextIOBase) -> None:
    output.write(f"{text}\n")
    click.echo(text)
    print(text, file=sys.stderr)
    click.echo(click.style("ours", bold=True), file=beneath(sys.stdout), color=True)
    raise click.UsageError(text)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_every_way_to_write_of_a_program_is_plain(encoding: str) -> None:
    out, err = io.BytesIO(), io.BytesIO()
    streams = io.TextIOWrapper(out, encoding=encoding), io.TextIOWrapper(err, encoding=encoding)
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]), pytest.raises(SystemExit):
        program.main(["say", "é\x07"])
    streams[0].flush()
    assert out.getvalue().decode() == "é\\x07\né\\x07\n\x1b[1mours\x1b[0m\n"
    assert err.getvalue().decode().splitlines()[0] == "é\\x07"
    assert err.getvalue().decode().splitlines()[-1] == "Error: é\\x07"


def _run(redirection: str, *args: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", f'"$@" {redirection}', "sh", sys.executable, "-m", "gpucluster", *args]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("redirection", "args", "code", "said"),
    [
        (">&-", ("--version",), 0, ""),
        (">&-", ("cost", "types"), 0, ""),
        ("<&- >&- 2>&-", ("schema", "none"), 2, ""),
        ("<&- >&-", ("cost", "report", "-"), 2, "error: /dev/null is empty; "),
        ("> /dev/full", ("--version",), 2, "error: standard output cannot be written: No space left on device\n"),
        ("> /dev/full", ("cost", "types"), 2, "error: standard output cannot be written: No space left on device\n"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_closed_or_full_output_causes_no_traceback(
    redirection: str, args: tuple[str, ...], code: int, said: str
) -> None:
    done = _run(redirection, *args)
    assert (done.returncode, done.stdout, done.stderr[: len(said) or None]) == (code, "", said)


def test_closed_streams_are_opened_for_other_programs_too() -> None:
    code = (
        "import os, sys\n"
        "from gpucluster.core.text.terminal import _open_closed\n"
        "_open_closed()\n"
        "assert os.system('test -c /proc/self/fd/0 -a -c /proc/self/fd/1') == 0\n"
        "print(sys.stdin.read(), [os.fstat(number).st_rdev == os.stat(os.devnull).st_rdev for number in (0, 1)])\n"
        "sys.exit([os.path.realpath(f'/proc/self/fd/{number}') for number in (0, 1)] != ['/dev/null'] * 2)\n"
    )
    command = ["sh", "-c", '"$@" <&- >&-', "sh", sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


COUNTING = """
import time
import click
from gpucluster.core.text import terminal

terminal._SILENCE = 0.05

@click.group(cls=terminal.Program)
def program(): ...

@program.command()
def count():
    with terminal.working("counting"):
        time.sleep(1)
        click.echo("first")
        time.sleep(1)
    click.echo("done")

program()
"""


def test_a_terminal_shows_that_a_silent_command_works_and_nothing_of_it_stays(tmp_path: Path) -> None:
    command = [sys.executable, "-c", COUNTING, "count"]
    code, shown = in_terminal(command, tmp_path, TERM="xterm")
    assert code == 0
    assert re.fullmatch(r".* counting\r\n.*\x1b\[2Kfirst\r\n.* counting\r\n.*\x1b\[2Kdone\r\n", shown, re.DOTALL), shown
    assert in_terminal(command, tmp_path, TERM="dumb") == (0, "first\r\ndone\r\n")
    piped = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (piped.stdout, piped.stderr) == ("first\ndone\n", "")


LENDING = """
import subprocess
import sys
import time
import click
import rich.console, rich.live, rich.spinner
from gpucluster.core.text import terminal

terminal._SILENCE = 0.05

@click.group(cls=terminal.Program)
def program(): ...

@program.command()
def report():
    with terminal.working("reporting"):
        time.sleep(1)
        with terminal.lent():
            subprocess.run([sys.executable, "-c", "import time; time.sleep(1); print('SIMULATED'); time.sleep(1)"])
        time.sleep(1)
    click.echo("done")

program()
"""


def test_another_program_has_the_terminal_to_itself(tmp_path: Path) -> None:
    code, shown = in_terminal([sys.executable, "-c", LENDING, "report"], tmp_path, TERM="xterm")
    assert code == 0
    before, own, after = re.split(r"(SIMULATED\r\n)", shown)
    assert " reporting" in before and " reporting" in after and own == "SIMULATED\r\n", shown
    # The text is erased before the other program starts, which then writes to an empty line.
    assert before.endswith("\x1b[2K") and after.endswith("\x1b[2Kdone\r\n"), shown
