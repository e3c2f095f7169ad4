"""What reaches a terminal."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout

import click
import pytest

from gpucluster.textio.terminal import Program, beneath, plain


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
