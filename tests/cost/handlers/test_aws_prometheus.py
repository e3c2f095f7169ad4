"""Amazon Managed Service for Prometheus: what a plan says of samples, and what it leaves to assumptions."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from gpucluster.cost import Assumptions, Estimate
from gpucluster.program.resources import UNKNOWN, Resource

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

WORKSPACE = "aws:amp/workspace:Workspace"
SCRAPER = "aws:amp/scraper:Scraper"
EXPECTED = "gpucluster/expected-million-samples"


def test_a_workspace_that_says_what_it_takes_is_believed(make: Make, cost_of: CostOf) -> None:
    assumed = Assumptions(prometheus_million_samples=Decimal(1000))
    line, _ = cost_of(make(WORKSPACE, tags={EXPECTED: "50"}), assumptions=assumed).lines
    assert (line.quantity, line.unit_price, line.monthly) == (Decimal(5), Decimal("0.9"), Decimal("4.5"))
    line, kept = cost_of(make(WORKSPACE), assumptions=assumed).lines
    assert line.monthly == 90
    assert (kept.basis, kept.monthly) == ("9.186 GiB", Decimal("0.28"))  # 1,000 million x 2 bytes x 4.93 months


def test_a_number_that_is_none_has_no_price(make: Make, cost_of: CostOf) -> None:
    found = cost_of(make(WORKSPACE, tags={EXPECTED: "many"}))
    assert (found.lines, len(found.not_priced)) == ((), 1)


def test_a_collector_is_billed_by_the_hour_and_for_all_that_its_workspace_takes(make: Make, cost_of: CostOf) -> None:
    workspace = make(WORKSPACE, "metrics", tags={EXPECTED: "59"})
    scraper = make(SCRAPER, destination=UNKNOWN, dependencies={"destination": workspace})
    hours, collected = (line for line in cost_of(workspace, scraper).lines if line.urn == scraper.urn)
    assert (hours.quantity, hours.monthly) == (Decimal(730), Decimal("29.2"))
    assert (collected.quantity, collected.unit_price, collected.monthly) == (
        Decimal("5.9"), Decimal("0.03"), Decimal("0.18"),
    )  # fmt: skip


def test_samples_of_a_collector_whose_workspace_is_elsewhere_depend_on_usage(make: Make, cost_of: CostOf) -> None:
    assumed = Assumptions(prometheus_million_samples=Decimal(1000))
    assert [line.monthly for line in cost_of(make(SCRAPER), assumptions=assumed).lines] == [Decimal("29.2"), 3]
    assert [line.usage for line in cost_of(make(SCRAPER)).lines] == [(), ("prometheus_million_samples",)]
