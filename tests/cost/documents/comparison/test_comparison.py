"""Comparisons in every form."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from gpucluster.core.documents.formats import written
from gpucluster.core.program.resources import Resource
from gpucluster.cost.comparison import Column, Comparison, compare
from gpucluster.cost.documents.comparison.comparison import comparison_document
from tests.cost.documents.conftest import Golden

Make = Callable[..., Resource]
MakeColumn = Callable[..., Column]


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
    """A stack without a description of its cluster beside one with it."""
    plain = make("aws:ebs/volume:Volume", "disk", type="gp3", size=100)
    return compare([column("aws", more=[plain]), column("aws", title="plain | stack", equivalence=None)])


CASES = {"two": _two, "three": _three, "silent": _silent}


@pytest.mark.parametrize("name", ["two.md", "three.txt", "three.json", "silent.txt"])
def test_a_comparison_is_its_golden_file(name: str, column: MakeColumn, make: Make, golden: Golden) -> None:
    found = CASES[name.partition(".")[0]](column, make)
    golden(f"comparison/{name}", comparison_document(found))


@pytest.mark.parametrize("case", CASES)
def test_every_row_of_a_markdown_table_has_as_many_cells_as_its_head(case: str, column: MakeColumn, make: Make) -> None:
    found = CASES[case](column, make)
    tables = re.findall(r"(?:^\|.*\n)+", written(comparison_document(found), "markdown"), re.MULTILINE)
    cells = [{len(re.findall(r"(?<!\\)\|", row)) - 1 for row in table.splitlines()} for table in tables]
    assert cells == [{len(found.columns) + 1}, *({5} for _ in found.offers)]


@pytest.mark.parametrize("case", CASES)
def test_at_80_columns_no_name_and_no_amount_is_split(case: str, column: MakeColumn, make: Make) -> None:
    document = comparison_document(CASES[case](column, make))
    narrow, wide = (written(document, "table", width) for width in (80, 108))
    assert set(narrow.split()) == set(wide.split())
    assert [line for line in narrow.splitlines() if len(line) > 80] == []
