"""The report as Markdown."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gpucluster.cost import Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.comment import report_markdown
from gpucluster.cost.grouping import group_by
from gpucluster.cost.render.markdown import LONGEST
from gpucluster.program.readers.files import read_text
from gpucluster.program.resources import Resource

WIDE = "\N{GRINNING FACE}"
GOLDEN = Path(__file__).parent / "golden"
Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]


@pytest.mark.parametrize("name", ["plan", "update"])
def test_the_report_of_a_recorded_stack(name: str, recordings: Path, book: PriceBook) -> None:
    resources = read_text((recordings / f"{name}.json").read_text(), name)
    found = estimate(resources, book)
    text = report_markdown(found, resources.stack, [group_by(found, resources, "team")]) + "\n"
    golden = GOLDEN / f"{name}.md"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(text)
    assert text == golden.read_text()


def test_a_thousand_resources_fit_with_the_totals_first(make: Make, cost_of: CostOf) -> None:
    """Also with the longest names, in letters of four bytes, and nothing priced alike."""
    disks = [
        make("aws:ebs/volume:Volume", f"disk-{number}-" + WIDE * 60, type="gp3", size=number)
        for number in range(1, 801)
    ]
    unknown = [make(f"aws:rds/instance{number}:Instance", WIDE * 70) for number in range(200)]
    found = cost_of(*disks, *unknown)
    text = report_markdown(found, "dev")
    assert len(text.encode()) <= LONGEST
    assert f"{found.monthly.expected:,.2f} a month (unknown: 200 without" in text.splitlines()[0]
    assert "more lines" in text
    assert text.splitlines()[-1] == "<!-- gpucluster cost report dev -->"


def test_a_report_of_nothing_says_so(cost_of: CostOf) -> None:
    assert report_markdown(cost_of(), "").splitlines()[0] == "**This stack costs $0.00 a month.**"
