"""What a stack adds to the bill of a support plan."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from gpucluster.core.documents.formats import written
from gpucluster.core.program.facts import Budget, Facts, Terms
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, Estimate, PriceBook, estimate
from gpucluster.cost.documents.report.report import report_document
from gpucluster.cost.documents.text import basis
from gpucluster.cost.estimate.budgets import budget_verdict
from gpucluster.cost.pricing.terms import BadTerms, UnknownPlan, support_of, terms_from_options
from tests.says import Says


def test_bands_are_marginal_and_a_month_costs_at_least_the_minimum(book: PriceBook) -> None:
    plan = support_of(book, "aws", "support-enterprise")
    assert plan.bands == (
        (Decimal(150_000), Decimal("0.1")),
        (Decimal(500_000), Decimal("0.07")),
        (Decimal(1_000_000), Decimal("0.05")),
        (None, Decimal("0.03")),
    )
    assert [plan.fee(Decimal(spend)) for spend in (0, 40_000, 150_000, 315_000, 2_000_000)] == [
        5000, 5000, 15000, 15000 + 11550, 15000 + 24500 + 25000 + 30000,
    ]  # fmt: skip


def test_a_stack_adds_what_the_account_does_not_pay_already(book: PriceBook) -> None:
    plan = support_of(book, "gcp", "enhanced")
    assert plan.added(Decimal(70_000), Decimal(10_000)) == 4900
    assert plan.added(Decimal(70_000), Decimal(0)) == 5200  # the whole fee: nothing else is charged
    assert plan.added(Decimal(70_000), Decimal(1)) == Decimal("5200.07") - 100  # which such an account pays already
    assert plan.added(Decimal(0), Decimal(10_000)) == 0


@pytest.mark.parametrize(("name", "fee"), [("standard", 100), ("prodirect", 1000)])
def test_a_flat_fee_does_not_grow_with_the_stack(name: str, fee: int, book: PriceBook) -> None:
    plan = support_of(book, "azure", name)
    assert [plan.added(Decimal(500_000), Decimal(account)) for account in (0, 1)] == [fee, 0]


def test_a_percentage_of_the_users_own_replaces_all_bands(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("provider,region,sku,unit,usd_per_unit\naws,global,support-enterprise,USD-of-monthly-spend,0.04\n")
    plan = support_of(PriceBook(own=path), "aws", "enterprise")
    assert plan.added(Decimal(200_000), Decimal(300_000)) == 8000


def test_a_plan_that_is_not_known_is_refused_with_those_that_are(book: PriceBook) -> None:
    with pytest.raises(UnknownPlan) as raised:
        support_of(book, "gcp", "gold")
    assert str(raised.value) == Says("gold", "not", "enhanced", "standard")


Make = Callable[..., Resource]
Costed = Callable[..., Estimate]

AGREED = {"aws": Terms(support="business", discount=Decimal("0.08"))}


@pytest.fixture
def costed(make: Make, book: PriceBook) -> Costed:
    """`costed(stated, given, own)`: two machines with disks, by terms of components and options."""

    def found(
        stated: dict[str, Terms] | None = None, given: dict[str, Terms] | None = None, own: Path | None = None
    ) -> Estimate:
        cluster = make("x:y:Cluster", "cluster", custom=False, **Facts(terms=stated or {}).registered())
        disk = {"rootBlockDevice": {"volumeSize": 100}}
        machines = [make("aws:ec2/instance:Instance", name, instanceType="p5.48xlarge", **disk) for name in "ab"]
        prices = PriceBook(today=book.today, own=own)
        resources = Resources([cluster, *machines], default_regions={"aws": "us-east-1"})
        return estimate(resources, prices, Assumptions(terms=given or {}))

    return found


def test_nothing_is_agreed_unless_somebody_says_so(costed: Costed) -> None:
    found = costed()
    assert (found.terms, found.listed) == ({}, found.monthly.expected)
    assert basis(found) == Says("USD", "discounts", "transfer")


def _cents(usd: Decimal) -> Decimal:
    """As bills round: half a cent is a cent."""
    return usd.quantize(Decimal("0.01"), ROUND_HALF_UP)


@pytest.mark.parametrize("by", ["stated", "given"])
def test_list_total_less_discount_and_support_are_the_total_to_the_cent(costed: Costed, by: str) -> None:
    before, found = costed(), costed(**{by: AGREED})
    net = sum((line.monthly for part in found.parts[:-1] for line in part.lines), Decimal(0))
    (fee,) = found.parts[-1].lines
    assert (found.parts[-1].name, found.parts[-1].training, fee.name) == (
        "support",
        False,
        "support plan business of aws",
    )
    gross = before.monthly.expected
    assert fee.monthly == _cents(1000 + 4900 + (gross - 80_000) * Decimal("0.05"))
    assert found.monthly.expected == net + fee.monthly == sum((line.monthly for line in found.lines), Decimal(0))
    assert found.listed == gross + fee.monthly
    assert [(line.unit_price, line.list_price) for line in found.lines][:1] == [(Decimal("50.6368"), Decimal("55.04"))]


def test_the_table_says_what_is_agreed_and_what_it_comes_to(costed: Costed) -> None:
    lines = [" ".join(line.split()) for line in written(report_document(costed(AGREED)), "table").splitlines()]
    assert lines[0] == Says("USD", "8%")
    said = [line for line in lines if line.startswith(("at list", "discounts", "Total per month", "support"))]
    assert said == [
        Says("support", "$5,919.09"),
        Says("support-business", "$80,381.70", "$1.00", "4", "$5,919.09"),
        "Total per month $79,870.25",
        "at list prices $86,300.79",
        "discounts -$6,430.54",
    ]


def test_a_plan_without_known_bands_is_bounded_by_its_highest_and_lowest_rate(costed: Costed) -> None:
    found = costed({"aws": Terms(support="business-plus")})
    spend = costed().monthly.expected
    (item,) = found.not_priced
    assert item.between is not None
    assert (item.between.least.monthly, item.between.most.monthly) == tuple(
        _cents(spend * share) for share in (Decimal("0.03"), Decimal("0.09"))
    )
    assert item.between.rule == Says("3%", "9%")
    assert found.monthly.expected == spend
    assert found.gaps.expected.known == "bounded"


def test_a_plan_with_a_known_minimum_alone_makes_the_total_at_least(costed: Costed) -> None:
    found = costed({"aws": Terms(support="unified-operations")})
    assert found.monthly.expected == costed().monthly.expected + 50_000
    (item,) = found.not_priced
    assert (item.between, item.reason) == (None, Says("unified-operations", "percentages", "$50,000.00"))
    assert found.gaps.expected.known == "unknown"


def test_a_rate_of_the_users_own_closes_the_bounds(costed: Costed, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text(
        "provider,region,sku,unit,usd_per_unit\naws,global,support-business-plus,USD-of-monthly-spend,0.05\n"
    )
    found = costed({"aws": Terms(support="business-plus")}, own=own)
    assert found.monthly.expected == costed().monthly.expected + _cents(costed().monthly.expected * Decimal("0.05"))
    assert found.complete


@pytest.mark.parametrize(("plan", "ends"), [("business", "2027-01-01"), ("enterprise", "")])
def test_the_end_of_a_plan_is_told(costed: Costed, plan: str, ends: str) -> None:
    fee = next(line for line in costed({"aws": Terms(support=plan)}).lines if line.sku == f"support-{plan}")
    assert ("the plan ends on" in fee.assumption, ends in fee.assumption) == (bool(ends), True)


def test_options_go_before_what_components_state(costed: Costed) -> None:
    given = {"aws": Terms(discount=Decimal("0.5"))}
    assert costed(AGREED, given).terms == given
    assert costed(AGREED, {"gcp": Terms(support="enhanced")}).terms == {**AGREED, "gcp": Terms(support="enhanced")}


def test_a_price_of_the_users_own_has_no_further_discount(costed: Costed, tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("provider,region,sku,unit,usd_per_unit\naws,us-east-1,p5.48xlarge,instance-hour,40\n")
    machines = [line for line in costed(AGREED, own=own).lines if line.unit == "instance-hour"]
    assert [(line.unit_price, line.list_price) for line in machines] == [(40, None)] * 2


def test_an_account_that_is_charged_for_more_pays_the_marginal_bands(costed: Costed) -> None:
    given = {"aws": Terms(support="business", account_usd=Decimal(250_000))}
    (fee,) = costed(given=given).parts[-1].lines
    assert fee.monthly == _cents(costed().monthly.expected * Decimal("0.03"))
    assert fee.assumption == Says("account", "$250,000.00", "charges")


def test_the_budget_counts_support_and_discount(costed: Costed) -> None:
    limit = Budget(costed().monthly.expected)
    outcomes = [budget_verdict(costed(terms), limit) for terms in ({}, {"aws": Terms(support="business")}, AGREED)]
    assert [verdict and verdict.outcome for verdict in outcomes] == ["within", "over", "within"]


def test_a_plan_without_a_price_is_not_priced_and_never_zero(costed: Costed) -> None:
    found = costed({"aws": Terms(support="gold")})
    assert [item.reason.partition(";")[0] for item in found.not_priced] == ["'gold' is not a priced plan of aws"]
    assert not found.complete


def test_options_are_read_and_all_that_is_wrong_is_said_at_once(book: PriceBook) -> None:
    found = terms_from_options(
        book, support=["aws=business"], discount=["aws=8%", "gcp=0.05"], account_spend=["aws=1e5"]
    )
    assert found == {
        "aws": Terms(support="business", discount=Decimal("0.08"), account_usd=Decimal(100_000)),
        "gcp": Terms(discount=Decimal("0.05")),
    }
    with pytest.raises(BadTerms) as refused:
        terms_from_options(book, support=["gcp=gold", "moon=x"], discount=["aws=-1%"], account_spend=["azure=5"])
    assert str(refused.value).splitlines() == [
        Says("--support", "gcp=gold", "gold", "not"),
        Says("--support", "moon=x", "CLOUD=VALUE", "aws=business"),
        Says("--discount", "aws=-1%", "0", "less", "1", "8%", "0.08"),
        Says("--account-spend", "azure=5", "only", "--support", "azure=PLAN"),
    ]


def test_terms_that_cannot_be_used_are_said_among_the_assumptions(make: Make, book: PriceBook) -> None:
    cluster = make("x:y:Cluster", "cluster", custom=False, terms={"aws": {"discount": 2}})
    assert estimate(Resources([cluster]), book).assumptions == (Says("cluster", "aws", "''", "2", "0", "less", "1"),)
