"""Ways to buy as golden files that are reviewed as money, and what must hold in every one of them.

After a change that is meant: `UPDATE_GOLDEN=1 python -m pytest tests/cost/render`, then read the difference.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.options import Options, Settings, options_of
from gpucluster.cost.render.layout import NARROWEST, WIDEST
from gpucluster.cost.render.options_csv import options_csv
from gpucluster.cost.render.options_json import options_json
from gpucluster.cost.render.options_markdown import options_markdown
from gpucluster.cost.render.options_table import options_table
from gpucluster.program.resources import Resource, Resources

Stack = Callable[..., list[Resource]]
GOLDEN = Path(__file__).parent / "golden" / "options"
CASES: dict[str, tuple[str, Settings]] = {
    "aws": ("aws", Settings(support="enterprise", account_spend=Decimal(100_000))),
    "gcp": ("gcp", Settings(cover=Decimal("0.8"), utilisation=Decimal("0.4"), interruption_rate=Decimal("0.05"))),
    "azure": ("azure-native", Settings(days=Decimal(365))),
}


@pytest.fixture
def found(stack: Stack, book: PriceBook) -> Callable[[str], Options]:
    def made(case: str) -> Options:
        cloud, settings = CASES[case]
        resources = Resources(stack(cloud), default_regions={"aws": "us-east-1"})
        return options_of(resources, book, settings)

    return made


FORMS: dict[str, Callable[[Options, str], str]] = {
    "txt": options_table,
    "json": lambda options, _: json.dumps(options_json(options), indent=2),
    "csv": lambda options, _: options_csv(options),
    "md": options_markdown,
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES)
def test_ways_to_buy_are_shown_as_their_golden_file(case: str, form: str, found: Callable[[str], Options]) -> None:
    text = FORMS[form](found(case), f"Ways to buy {case}")
    path = GOLDEN / f"{case}.{form}"
    if "UPDATE_GOLDEN" in os.environ:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n")
    assert text + "\n" == path.read_text()


@pytest.mark.parametrize("width", [NARROWEST, WIDEST])
def test_only_rows_of_amounts_may_be_wider_than_a_narrow_terminal(width: int, found: Callable[[str], Options]) -> None:
    lines = [line for case in CASES for line in options_table(found(case), "Ways", width).splitlines()]
    assert [line for line in lines if line != line.rstrip()] == []
    wide = [line for line in lines if len(line) > width]
    assert wide == [] or (width == NARROWEST and all("$" in line or "to buy" in line for line in wide))


def test_money_in_json_is_text(found: Callable[[str], Options]) -> None:
    def floats(value: Any) -> list[Any]:
        if isinstance(value, dict):
            return [item for part in value.values() for item in floats(part)]
        if isinstance(value, list):
            return [item for part in value for item in floats(part)]
        return [value] if isinstance(value, float) else []

    assert [found_one for case in CASES for found_one in floats(options_json(found(case)))] == []


def test_a_stack_without_gpus_says_so(make: Callable[..., Resource], book: PriceBook) -> None:
    disk = make("aws:ebs/volume:Volume", "disk", type="gp3", size=100)
    text = options_table(options_of(Resources([disk], default_regions={"aws": "us-east-1"}), book), "Ways")
    assert text.splitlines()[-1] == "No GPU machines that may be bought in another way"
