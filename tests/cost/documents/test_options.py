"""Ways to buy as golden files that are reviewed as money, and what must hold in every one of them.

After a change that is meant: `UPDATE_GOLDEN=1 python -m pytest tests/cost/render`, then read the difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cost import Assumptions, PriceBook
from gpucluster.cost.documents.options import options_document
from gpucluster.cost.documents.options.figures import option_figures
from gpucluster.cost.purchasing import Options, Settings, options_of
from gpucluster.cost.render.layout import NARROWEST, WIDEST
from gpucluster.cost.render.write import written
from gpucluster.program.facts import Terms
from gpucluster.program.resources import Resource, Resources

Stack = Callable[..., list[Resource]]
GOLDEN = Path(__file__).parent / "golden" / "options"
TERMS = {"aws": Terms(support="enterprise", account_usd=Decimal(100_000))}
CASES: dict[str, tuple[str, Settings]] = {
    "aws": ("aws", Settings()),
    "gcp": ("gcp", Settings(cover=Decimal("0.8"), utilisation=Decimal("0.4"), interruption_rate=Decimal("0.05"))),
    "azure": ("azure-native", Settings(days=Decimal(365))),
}


@pytest.fixture
def found(stack: Stack, book: PriceBook) -> Callable[[str], Options]:
    def made(case: str) -> Options:
        cloud, settings = CASES[case]
        resources = Resources(stack(cloud), default_regions={"aws": "us-east-1"})
        return options_of(resources, book, settings, Assumptions(terms=TERMS))

    return made


FORMS = {"txt": "table", "json": "json", "csv": "csv", "md": "markdown"}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES)
def test_ways_to_buy_are_shown_as_their_golden_file(case: str, form: str, found: Callable[[str], Options]) -> None:
    text = written(options_document(found(case), f"Ways to buy {case}"), FORMS[form])
    path = GOLDEN / f"{case}.{form}"
    if "UPDATE_GOLDEN" in os.environ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n")
    assert text + "\n" == path.read_text()


@pytest.mark.parametrize("width", [NARROWEST, WIDEST])
def test_only_rows_of_amounts_may_be_wider_than_a_narrow_terminal(width: int, found: Callable[[str], Options]) -> None:
    lines = [
        line for case in CASES for line in written(options_document(found(case), "Ways"), "table", width).splitlines()
    ]
    assert [line for line in lines if line != line.rstrip()] == []
    wide = [line for line in lines if len(line) > width]
    shown = ("$", "to buy", " owed", "@", ".json")  # amounts, and a source, which is one word
    assert [line for line in wide if width != NARROWEST or not any(one in line for one in shown)] == []


def test_money_in_json_is_text(found: Callable[[str], Options]) -> None:
    def floats(value: Any) -> list[Any]:
        if isinstance(value, dict):
            return [item for part in value.values() for item in floats(part)]
        if isinstance(value, list):
            return [item for part in value for item in floats(part)]
        return [value] if isinstance(value, float) else []

    assert [found_one for case in CASES for found_one in floats(options_document(found(case), "").model())] == []


def test_a_stack_without_gpus_says_so(make: Callable[..., Resource], book: PriceBook) -> None:
    disk = make("aws:ebs/volume:Volume", "disk", type="gp3", size=100)
    found = options_of(Resources([disk], default_regions={"aws": "us-east-1"}), book)
    text = written(options_document(found, "Ways"), "table")
    assert text.splitlines()[-1] == "No GPU machines with another way to buy"


def test_a_chart_ranks_spot_last_for_machines_that_train_together_and_says_why(found: Callable[[str], Options]) -> None:
    [chart] = [figure for figure in option_figures(found("aws")) if "By way to buy" in figure]
    words = re.search(r'<p class="quiet"[^>]*>(.*?)</p>', chart)
    assert words is not None and "(spot)" not in words[1]
    ranked, spot = chart.partition("no offer for machines that train together")[0].rpartition("<li>")[::2]
    assert "on demand" in ranked and "spot" not in ranked.partition("<li>")[2]
    assert "spot" in spot
