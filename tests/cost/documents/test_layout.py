"""The width of the table, and what happens to what is too long for it."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gpucluster.cost import PriceBook, estimate
from gpucluster.cost.documents.report.table import as_table
from gpucluster.cost.render.layout import NARROWEST, WIDEST, Layout, width_for
from gpucluster.program.readers.files import read_text


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


@pytest.mark.parametrize(
    ("name", "resource", "shown"),
    [
        ("NAT gateway", "nat", "NAT gateway (nat)"),
        ("NAT gateway", "trial-network-nat-gateway", "NAT gateway (…t-gateway)"),
        ("a name of just its column", "nat", "a name of just its colu…"),
        ("twenty-four characters..", "nat", "twenty-four characters.."),
    ],
)
def test_the_beginning_of_the_resources_name_is_cut_first(name: str, resource: str, shown: str) -> None:
    row = Layout(NARROWEST).row(name, resource, "730 h", "$0.045", "[7]", "$32.85")
    assert row == f"{shown:<24}            730 h      $0.045 [7]             $32.85"
    assert len(row) == NARROWEST


def test_a_total_that_is_too_long_is_folded_before_its_amount() -> None:
    layout = Layout(NARROWEST)
    assert layout.total("Per training GPU-hour, 32 GPUs, without trial-elastic and trial-evaluation", "$8.79") == [
        "Per training GPU-hour, 32 GPUs, without trial-elastic and trial-",
        "  evaluation                                                           $8.79",
    ]


@pytest.mark.parametrize("width", [NARROWEST, 90, WIDEST])
@pytest.mark.parametrize("name", ["plan.json", "state.json", "update.json"])
def test_no_width_loses_an_amount(name: str, width: int, recordings: Path, book: PriceBook) -> None:
    found = estimate(read_text((recordings / name).read_text(), name), book)
    text = as_table(found, "Cost", width)
    assert max(map(len, text.splitlines())) <= width
    assert _amounts(text) == _amounts(as_table(found, "Cost", 1000))


def _amounts(text: str) -> list[str]:
    return re.findall(r"\$[\d,.]*\d|\[\d+\]", text)
