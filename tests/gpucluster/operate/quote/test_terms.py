"""Support plans and discounts in a quote: in every total, and in the spec that is written."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.components.spec.cluster import StackSpec
from gpucluster.core.program.facts import Terms
from gpucluster.cost.prices import PriceBook
from gpucluster.cost.pricing.terms import support_of
from gpucluster.operate.quote.market import known_regions
from gpucluster.operate.quote.question import question_of
from gpucluster.operate.quote.quotes import Answer, answer
from gpucluster.operate.quote.text import heading
from tests.gpucluster.operate.quote.conftest import nobody
from tests.says import Says


@pytest.fixture(scope="module")
def agreed() -> Answer:
    """The question of `home` with a support plan and a discount."""
    given = {"gpus": "64", "for": "30d", "clouds": "aws", "regions": "us-east-1"}
    terms = {"aws": Terms(support="business", discount=Decimal("0.08"), account_usd=Decimal(100_000))}
    return answer(question_of(given, known_regions(PriceBook()), terms), PriceBook(), nobody)


def test_the_total_has_the_discount_and_what_the_cluster_adds_to_the_fee(home: Answer, agreed: Answer) -> None:
    plan = support_of(PriceBook(), "aws", "business")
    assert len(agreed.quotes) == len(home.quotes)
    for before, after in zip(home.quotes, agreed.quotes, strict=True):
        listed = before.estimate.monthly.expected
        paid = listed * Decimal("0.92") + plan.added(listed, Decimal(100_000))
        assert abs(after.estimate.monthly.expected - paid) < 1  # lines are rounded one by one
        assert after.total < before.total


def test_the_spec_of_a_quote_has_the_terms(agreed: Answer, home: Answer) -> None:
    chosen = agreed.quotes[0]
    assert chosen.spec["terms"] == {"aws": {"support": "business", "discount": 0.08, "account_usd": 100_000}}
    terms = StackSpec.model_validate(chosen.spec).terms["aws"]
    assert (terms.support, terms.discount, terms.account_usd) == ("business", Decimal("0.08"), 100_000)
    assert "terms" not in home.quotes[0].spec


def test_the_heading_says_what_was_counted(agreed: Answer, home: Answer) -> None:
    assert heading(agreed) == Says("USD", "8%")
    assert heading(home) == Says("USD", "discounts", "transfer")
