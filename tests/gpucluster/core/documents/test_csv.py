"""How rows become CSV."""

from __future__ import annotations

import csv
import io

import pytest

from gpucluster.core.documents.csv import csv_of, csv_text


@pytest.mark.parametrize("line_break", ["\r", "\n", "\r\n"], ids=["carriage return", "line feed", "both"])
def test_a_line_break_in_a_cell_ends_no_row(line_break: str) -> None:
    text = csv_text([["name", "usd"], [f"a{line_break}b", "1"], ["c", "2"]])
    assert text == 'name,usd\n"a\nb",1\nc,2'
    assert [*csv.reader(io.StringIO(text))] == [["name", "usd"], ["a\nb", "1"], ["c", "2"]]


def test_rows_have_their_cells_in_columns_and_no_formula() -> None:
    rows = [
        {"b": "-2.5", "c": "left out"},
        {"b": ["4", "5"], "a": True},
        {"a": "=1+1", "b": None},
        {"a": "-", "b": "-x"},
    ]
    assert csv_of(["a", "b"], rows) == "a,b\n,-2.5\nyes,4; 5\n'=1+1,\n-,'-x"
