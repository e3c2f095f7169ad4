"""What a stack adds to the bill of a support plan."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.cost import PriceBook
from gpucluster.cost.terms.support import UnknownPlan, support_of
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
