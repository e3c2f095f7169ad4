"""Advice as golden files that are reviewed as money.

After a change that is meant: `UPDATE_GOLDEN=1 python -m pytest tests/cost/render`, then read the difference.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.advice import advice_of
from gpucluster.cost.advice.lustre import asked_need
from gpucluster.cost.documents.advice import advice_document
from gpucluster.cost.render.layout import WIDEST
from gpucluster.cost.render.write import written
from gpucluster.program.resources import Resource, Resources

GOLDEN = Path(__file__).parent / "golden" / "advice"


@pytest.mark.parametrize("form", ["txt", "json"])
@pytest.mark.parametrize("cloud", ["aws", "gcp"])
def test_advice_is_shown_as_its_golden_file(
    cloud: str, form: str, stack: Callable[..., list[Resource]], book: PriceBook
) -> None:
    resources = Resources(stack(cloud), default_regions={"aws": "us-east-1"})
    found = advice_of(resources, book, need=asked_need(Decimal(20), Decimal(3)))
    text = written(advice_document(found, "Advice"), "table" if form == "txt" else "json")
    path = GOLDEN / f"{cloud}.{form}"
    if "UPDATE_GOLDEN" in os.environ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n")
    assert text + "\n" == path.read_text()
    if form == "txt":
        assert [line for line in text.splitlines() if len(line) > WIDEST or line != line.rstrip()] == []


def test_without_advice_it_says_so() -> None:
    text = written(advice_document((), "Advice"), "table")
    assert text.splitlines()[-1] == "No cheaper option at the known prices"
