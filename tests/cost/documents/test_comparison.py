"""Comparisons as golden files that are reviewed as money, and what must hold in every one of them.

After a change that is meant: `UPDATE_GOLDEN=1 python -m pytest tests/cost/render`, then read the difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cost.comparison import Column, Comparison, compare
from gpucluster.cost.documents.comparison import comparison_document
from gpucluster.cost.render.layout import WIDEST
from gpucluster.cost.render.write import written
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
MakeColumn = Callable[..., Column]
GOLDEN = Path(__file__).parent / "golden" / "comparison"
FORMS = {"txt": "table", "md": "markdown", "json": "json"}


def _two(column: MakeColumn, make: Make) -> Comparison:
    """Two complete columns of one spec."""
    del make
    return compare([column("aws"), column("gcp")])


def _three(column: MakeColumn, make: Make) -> Comparison:
    """A third cloud, of which little is priced yet; parts that a cloud does not have; specs that differ."""
    bucket = make("aws:s3/bucket:Bucket", "b")
    other = column("azure-native", durationDays=7, notBuilt=["MIG pool: 2 nodes"])
    return compare([column("aws", more=[bucket]), column("gcp"), other])


def _silent(column: MakeColumn, make: Make) -> Comparison:
    """A stack that says nothing of itself beside one that does."""
    plain = make("aws:ebs/volume:Volume", "disk", type="gp3", size=100)
    return compare([column("aws", more=[plain]), column("aws", title="plain | stack", equivalence=None)])


CASES = {"two": _two, "three": _three, "silent": _silent}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES)
def test_a_comparison_is_shown_as_its_golden_file(case: str, form: str, column: MakeColumn, make: Make) -> None:
    path, text = GOLDEN / f"{case}.{form}", written(comparison_document(CASES[case](column, make)), FORMS[form]) + "\n"
    if "UPDATE_GOLDEN" in os.environ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("case", CASES)
def test_no_line_of_the_table_is_wider_than_the_widest(case: str, column: MakeColumn, make: Make) -> None:
    lines = written(comparison_document(CASES[case](column, make)), "table").splitlines()
    assert [line for line in lines if len(line) > WIDEST or line != line.rstrip()] == []


@pytest.mark.parametrize("case", CASES)
def test_every_row_of_a_markdown_table_has_as_many_cells_as_its_head(case: str, column: MakeColumn, make: Make) -> None:
    found = CASES[case](column, make)
    tables = re.findall(r"(?:^\|.*\n)+", written(comparison_document(found), "markdown"), re.MULTILINE)
    cells = [{len(re.findall(r"(?<!\\)\|", row)) - 1 for row in table.splitlines()} for table in tables]
    assert cells == [{len(found.columns) + 1}, *({5} for _ in found.offers)]


def test_money_in_json_is_text(column: MakeColumn, make: Make) -> None:
    def numbers(value: Any) -> list[Any]:
        if isinstance(value, dict):
            return [item for part in value.values() for item in numbers(part)]
        if isinstance(value, list):
            return [item for part in value for item in numbers(part)]
        return [value] if isinstance(value, float) else []

    assert numbers(comparison_document(_three(column, make)).model()) == []
