"""Advice in every form."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from gpucluster.core.documents.formats import written
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import PriceBook
from gpucluster.cost.documents.advice import advice_document
from gpucluster.cost.purchasing.file_systems import asked_need
from gpucluster.cost.purchasing.recommendations import advice_of
from tests.cost.documents.conftest import Golden


@pytest.mark.parametrize("name", ["aws.txt", "gcp.txt", "gcp.json"])
def test_advice_is_its_golden_file(
    name: str, stack: Callable[..., list[Resource]], book: PriceBook, golden: Golden
) -> None:
    resources = Resources(stack(name.partition(".")[0]), default_regions={"aws": "us-east-1"})
    found = advice_of(resources, book, need=asked_need(Decimal(20), Decimal(3)))
    golden(f"advice/{name}", advice_document(found, "Advice"))


def test_without_advice_it_says_so() -> None:
    text = written(advice_document((), "Advice"), "table")
    assert text.splitlines()[-1] == "No cheaper option at the known prices"
