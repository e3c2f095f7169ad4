"""Lines that depend on usage, in every form of the report."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from gpucluster.cost import Assumptions, Estimate
from gpucluster.cost.documents.report.comment import report_markdown
from gpucluster.cost.documents.report.page import report_page
from gpucluster.cost.documents.report.table import as_table
from gpucluster.cost.documents.words.by_usage import count_by_usage, rates_by_usage
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

RATES = [
    "REST requests (api): $3.50 per 1M-requests in us-east-1 (2024-07-01, medium), by api_million_requests",
    "Requests (a, b and 1 more): $0.20 per 1M-requests in us-east-1 (2024-07-01, medium), by lambda_million_requests",
    "Duration (a, b and 1 more): $0.0000166667 per GiB-second in us-east-1 (2024-07-01, medium), "
    "by lambda_million_requests x lambda_ms_per_request",
]


@pytest.fixture
def serverless(make: Make) -> list[Resource]:
    functions = [make("aws:lambda/function:Function", name, memorySize=128) for name in "abc"]
    return [make("aws:apigateway/restApi:RestApi", "api"), *functions]


def test_each_rate_stands_once_with_its_price_and_the_usage_that_moves_it(
    serverless: list[Resource], cost_of: CostOf
) -> None:
    found = cost_of(*serverless)
    assert rates_by_usage(found) == RATES
    assert count_by_usage(found) == "7 lines depend on usage, assumed to be 0"


def test_usage_that_is_said_is_a_line_like_any_other(serverless: list[Resource], cost_of: CostOf) -> None:
    usage = Assumptions().with_values({"api_million_requests": "2", "lambda_million_requests": "1"})
    found = cost_of(*serverless, assumptions=usage)
    assert found.monthly.expected == Decimal("7.60")
    assert rates_by_usage(found) == RATES[2:]


def test_a_pool_without_machines_does_not_depend_on_usage(make: Make, cost_of: CostOf) -> None:
    empty = make("aws:eks/nodeGroup:NodeGroup", "empty", instanceTypes=["p5.48xlarge"], diskSize=20,
                 scalingConfig={"desiredSize": 0})  # fmt: skip
    assert count_by_usage(cost_of(empty)) == ""


def test_no_form_says_that_a_program_of_usage_costs_nothing(serverless: list[Resource], cost_of: CostOf) -> None:
    found = cost_of(*serverless)
    markdown = report_markdown(found, "dev")
    assert markdown.startswith(
        "**`dev` costs $0.00 a month before usage.** 7 lines depend on usage, assumed to be 0.\n"
    )
    for text in (markdown.replace("\\_", "_"), " ".join(as_table(found).split()), report_page(found, "dev", [], None)):
        assert "7 lines depend on usage, assumed to be 0" in text
        assert "gpucluster cost usage init" in text
        assert RATES[0] in text
