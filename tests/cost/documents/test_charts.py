"""Bars of amounts that are not fully known."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gpucluster.core.documents.charts import Bar
from gpucluster.cost.documents.charts import amount_bar
from gpucluster.cost.pricing.bounds import CLOSED, Gap
from gpucluster.cost.pricing.model import UNBOUNDED

ONE, TWO, FIVE, SEVEN = map(Decimal, (1, 2, 5, 7))


@pytest.mark.parametrize(
    ("amount", "gap", "bar"),
    [
        (FIVE, CLOSED, Bar("a", FIVE, "$5.00")),
        (FIVE, Gap(1, 0, ONE, TWO), Bar("a", Decimal(6), "$6.00 to $7.00", most=SEVEN)),
        (None, Gap(1, 0, ONE, TWO), Bar("a", ONE, "$1.00 to $2.00", most=TWO)),
        (FIVE, Gap(1, 1), Bar("a", FIVE, "at least $5.00")),
        (FIVE, Gap(1, 0, ONE, UNBOUNDED), Bar("a", Decimal(6), "unbounded")),
        (None, Gap(1, 1), Bar("a", None, "unknown")),
    ],
)
def test_a_bar_ends_at_the_lower_bound_and_continues_lighter_to_the_upper_one(
    amount: Decimal | None, gap: Gap, bar: Bar
) -> None:
    assert amount_bar("a", amount, gap) == bar


def test_a_part_that_a_cloud_does_not_have_has_no_bar() -> None:
    assert amount_bar("a", None, CLOSED, shown="none") == Bar("a", None, "none")
