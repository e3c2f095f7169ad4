"""Amazon Managed Service for Prometheus: what a plan says of samples, and what it leaves to assumptions."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

WORKSPACE = "aws:amp/workspace:Workspace"
EXPECTED = "gpucluster/expected-million-samples"


def test_a_workspace_that_says_what_it_takes_is_believed(make: Make, cost_of: CostOf) -> None:
    assumed = Assumptions(prometheus_million_samples=Decimal(1000))
    [line] = cost_of(make(WORKSPACE, tags={EXPECTED: "50"}), assumptions=assumed).lines
    assert (line.quantity, line.unit_price, line.monthly) == (Decimal(5), Decimal("0.9"), Decimal("4.5"))
    [line] = cost_of(make(WORKSPACE), assumptions=assumed).lines
    assert line.monthly == 90


def test_a_number_that_is_none_has_no_price(make: Make, cost_of: CostOf) -> None:
    found = cost_of(make(WORKSPACE, tags={EXPECTED: "many"}))
    assert (found.lines, len(found.not_priced)) == ((), 1)


def test_a_collector_is_billed_by_the_hour_and_what_is_left_out_is_said(make: Make, cost_of: CostOf) -> None:
    [line] = cost_of(make("aws:amp/scraper:Scraper")).lines
    assert (line.quantity, line.monthly) == (Decimal(730), Decimal("29.2"))
    assert "for each sample it collects is not in the total" in line.assumption
