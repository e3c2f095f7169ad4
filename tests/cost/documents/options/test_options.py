"""Ways to buy in every form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal

import pytest

from gpucluster.core.documents.charts import Bars
from gpucluster.core.documents.document import WIDEST
from gpucluster.core.documents.formats import NARROWEST, written
from gpucluster.core.program.facts import Terms
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, PriceBook
from gpucluster.cost.documents.options.options import option_figures, options_document
from gpucluster.cost.purchasing import Options, Settings, options_of
from tests.cost.documents.conftest import Golden

Stack = Callable[..., list[Resource]]
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


@pytest.mark.parametrize("name", ["aws.txt", "aws.json", "aws.csv", "aws.md", "gcp.txt", "azure.txt"])
def test_ways_to_buy_are_their_golden_file(name: str, found: Callable[[str], Options], golden: Golden) -> None:
    case = name.partition(".")[0]
    golden(f"options/{name}", options_document(found(case), f"Ways to buy {case}"))


def test_no_width_cuts_an_amount(found: Callable[[str], Options]) -> None:
    narrow, wide = (written(options_document(found("aws"), "Ways"), "table", width) for width in (NARROWEST, WIDEST))
    assert Counter(re.findall(r"\$[\d,.]+\d", narrow)) == Counter(re.findall(r"\$[\d,.]+\d", wide))


def test_tables_fit_80_columns_and_split_no_name(found: Callable[[str], Options]) -> None:
    text = written(options_document(found("aws"), "Ways"), "table", 80)
    assert [line for line in text.splitlines() if len(line) > 80 and len(line.split()) > 1] == []
    assert "upfront: $" in text


def test_a_chart_names_all_savings_plans_of_one_kind_with_one_bound_in_one_line(
    found: Callable[[str], Options],
) -> None:
    first = next(iter(option_figures(found("aws"))))
    assert [panel.notes for panel in first.panels] == [
        (
            "Not priced, and so not ranked:",
            [
                f"{plan} 1y; 1y, half upfront; 1y, all upfront; 3y; 3y, half upfront; 3y, all upfront: {least} to "
                f"$55.04 an hour each, at most on demand in us-east-1, $55.04; at least {share} of it, as {stated} "
                f"(AWS): the stack {stack} to $220,846.79 a month"
                for plan, least, share, stated, stack in (
                    ("savings plan", "$18.71", "34%", "Compute Savings Plans save up to 66%", "$78,974.03"),
                    (
                        "EC2 Instance savings plan",
                        "$15.41",
                        "28%",
                        "EC2 Instance Savings Plans save up to 72%",
                        "$66,076.51",
                    ),
                )
            ],
        )
    ]


def test_a_stack_without_gpus_says_so(make: Callable[..., Resource], book: PriceBook) -> None:
    disk = make("aws:ebs/volume:Volume", "disk", type="gp3", size=100)
    found = options_of(Resources([disk], default_regions={"aws": "us-east-1"}), book)
    text = written(options_document(found, "Ways"), "table")
    assert text.splitlines()[-1] == "No GPU machines with another purchase option"


def test_a_chart_ranks_spot_last_for_machines_that_train_together_and_gives_the_reason(
    found: Callable[[str], Options],
) -> None:
    [figure] = [figure for figure in option_figures(found("aws")) if figure.heading == "By purchase option, a month"]
    assert isinstance(figure.panels[0].chart, Bars)
    *ranked, spot = figure.panels[0].chart.rows
    assert (spot.name, "spot" in [row.name for row in ranked], "(spot)" in figure.text) == ("spot", False, False)
    assert "no offer for machines that train together" in spot.note


def test_options_say_what_the_spare_costs_by_each_of_them(found: Callable[[str], Options]) -> None:
    text = " ".join(written(options_document(found("aws"), "Ways"), "table").split())
    assert "without the spare (1 of 5 machines) a month costs less by $40,179.20 on demand, $14,054.76 spot" in text
