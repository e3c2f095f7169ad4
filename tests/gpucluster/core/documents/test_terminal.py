"""The width of a table, and long texts in it."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import replace

import pytest

from gpucluster.core.documents.document import WIDEST, Document, Row, Table
from gpucluster.core.documents.formats import NARROWEST, width_for, written
from gpucluster.core.documents.model import Versioned


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 7


@pytest.fixture
def columns(monkeypatch: pytest.MonkeyPatch) -> Callable[[str | None], None]:
    def put(value: str | None) -> None:
        monkeypatch.delenv("COLUMNS", raising=False)
        if value is not None:
            monkeypatch.setenv("COLUMNS", value)

    return put


@pytest.mark.parametrize(
    ("said", "indent", "expected"),
    [
        (None, 0, WIDEST),
        ("", 0, WIDEST),
        ("0", 0, WIDEST),
        ("wide", 0, WIDEST),
        ("90", 0, 90),
        ("90", 4, 86),
        ("40", 0, NARROWEST),
        ("80", 4, NARROWEST),
        ("300", 4, WIDEST),
    ],
)
def test_in_a_pipe_nothing_changes_the_width_and_in_a_program_columns_does(
    columns: Callable[[str | None], None], said: str | None, indent: int, expected: int
) -> None:
    columns(said)
    assert width_for(indent=indent) == expected
    assert width_for(io.StringIO(), indent=indent) == WIDEST


@pytest.mark.parametrize(("said", "has", "expected"), [(None, 95, 95), ("85", 95, 85), (None, 0, WIDEST)])
def test_a_terminal_gives_its_width_unless_columns_is_set(
    columns: Callable[[str | None], None], monkeypatch: pytest.MonkeyPatch, said: str | None, has: int, expected: int
) -> None:
    columns(said)
    monkeypatch.setattr(
        os, "get_terminal_size", lambda descriptor: os.terminal_size((has if descriptor == 7 else 1, 9))
    )
    assert width_for(_Terminal()) == expected


def _text(table: Table, width: int) -> str:
    return written(Document(title="", sections=lambda: [table], model=Versioned), "table", width)


def test_names_wrap_before_amounts_do_and_no_amount_is_cut() -> None:
    row = Row(("a name of several words (and-a-resource)", "$1,000.00 to $2,000.00", "730 h"))
    table = Table(heads=("", "$/month", "quantity"), rows=[row])
    assert _text(table, 60) == (
        "                                           $/month  quantity\n"
        "a name of several words\n"
        "(and-a-resource)            $1,000.00 to $2,000.00     730 h"
    )


def test_columns_without_room_are_written_below_their_rows_at_a_terminal_and_stay_columns_in_a_file() -> None:
    table = Table(
        heads=("option", "$/month", "upfront", "source"),
        rows=[
            Row(("on demand", "$1,000.00", "-", "a list of prices")),
            Row(
                ("capacity block", "$900.00", "$900.00", "a-page/with/a/path/that/no/line/of/the/terminal/has/room/for")
            ),
        ],
        sums=[Row(("total", "$1,900.00", "", ""), strong=True)],
        left={0, 3},
        wide=None,
        stacked=(3, 2, 0),
    )
    assert _text(table, 40) == (
        "option            $/month  upfront\n"
        "on demand       $1,000.00        -\n"
        "    source: a list of prices\n"
        "capacity block    $900.00  $900.00\n"
        "    source:\n"
        "    a-page/with/a/path/that/no/line/of/the/terminal/has/room/for\n"
        "total           $1,900.00"
    )
    assert _text(table, 30) == (
        "option            $/month\n"
        "on demand       $1,000.00\n"
        "    source: a list of prices\n"
        "capacity block    $900.00\n"
        "    upfront: $900.00; source:\n"
        "    a-page/with/a/path/that/no/line/of/the/terminal/has/room/for\n"
        "total           $1,900.00"
    )
    assert _text(table, WIDEST) == _text(replace(table, stacked=()), WIDEST)
