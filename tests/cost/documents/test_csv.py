"""The report for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.model import line_json
from gpucluster.cost.documents.report.rows import COLUMNS, as_csv
from gpucluster.cost.grouping import group_by
from gpucluster.program.readers.files import read_text
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]


@pytest.mark.parametrize("name", ["plan.json", "state.json", "update.json"])
def test_the_rows_are_the_lines_of_the_report_and_what_has_no_price(
    name: str, recordings: Path, book: PriceBook
) -> None:
    resources = read_text((recordings / name).read_text(), name)
    found = estimate(resources, book)
    rows = list(csv.DictReader(io.StringIO(as_csv(found, [group_by(found, resources, "team")]))))
    priced = [row for row in rows if row["status"] != "not priced"]
    texts = [{**line_json(line, found), "usage": " ".join(line.usage)} for line in found.lines]
    assert tuple(rows[0]) == (*COLUMNS, "label:team")
    assert [row["line"] for row in priced] == [str(number) for number in range(1, len(found.lines) + 1)]
    assert [{key: row[key] for key in text} for row, text in zip(priced, texts, strict=True)] == texts
    assert [row["name"] for row in rows if row["status"] == "depends on usage"] == [
        line.name for line in found.lines if line.by_usage
    ]
    assert sum(Decimal(row["monthly"]) for row in priced) == found.monthly.expected
    assert rows == priced


def test_a_row_without_a_price_has_no_amount_and_says_why(make: Make, cost_of: CostOf) -> None:
    found = cost_of(make("aws:ebs/volume:Volume", "far", type="gp3", size=100), region="xx-nowhere-1")
    (row,) = csv.DictReader(io.StringIO(as_csv(found)))
    assert (row["resource_name"], row["status"], row["monthly"]) == ("far", "not priced", "")
    assert row["reason"].startswith("no price for ebs-gp3 on_demand in aws xx-nowhere-1")


@pytest.mark.parametrize("name", ["=1+1", "+a", "-a", "@a", "\ta"])
def test_no_name_becomes_a_formula(make: Make, cost_of: CostOf, name: str) -> None:
    text = as_csv(cost_of(make("aws:ebs/volume:Volume", name, type="gp3", size=1)))
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["resource_name"] == f"'{name}"
    assert row["monthly"] == "0.08"


def test_a_stack_without_lines_has_its_header(cost_of: CostOf) -> None:
    assert as_csv(cost_of()) == ",".join(COLUMNS)


def test_a_name_of_several_lines_with_commas_and_quotes_is_one_cell(make: Make, cost_of: CostOf) -> None:
    odd = 'a "b",\nc'
    (row,) = csv.DictReader(io.StringIO(as_csv(cost_of(make("aws:ebs/volume:Volume", odd, type="gp3", size=1)))))
    assert row["resource_name"] == odd
