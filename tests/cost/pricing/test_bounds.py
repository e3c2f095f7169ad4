"""What is said, and decided, of amounts in which something has no price."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from gpucluster.core.program.facts import Budget, Terms
from gpucluster.core.program.resources import Resource, Resources
from gpucluster.cost import Assumptions, Estimate, estimate
from gpucluster.cost.estimate.budgets import budget_verdict, outcome_of
from gpucluster.cost.prices import Bound
from gpucluster.cost.pricing.bounds import CLOSED, Gap
from gpucluster.cost.pricing.model import CENT, NotPriced, cents
from gpucluster.cost.pricing.money import how_known, money, ranged
from tests.cost.conftest import NOWHERE
from tests.says import Says

Make = Callable[..., Resource]
CostOf = Callable[..., Estimate]

BOUNDED = Gap(2, 0, Decimal(10), Decimal(40))
OPEN = Gap(3, 1, Decimal(10), Decimal(40))


@pytest.mark.parametrize(
    ("amount", "gap", "words", "known"),
    [
        (Decimal(100), CLOSED, "$100.00", ""),
        (Decimal(100), BOUNDED, "$110.00 to $140.00", Says("2", "without", "71.4%")),
        (Decimal(100), Gap(1, 0), "$100.00", Says("1", "without", "100.0%")),
        (Decimal(100), OPEN, "at least $110.00", Says("unknown", "3", "without", "2")),
        (Decimal(0), Gap(1, 1), "unknown", "unknown: 1 without a price of its own"),
        ("unbounded", BOUNDED, "unbounded", "bounded: 2 without a price of their own"),
        (Decimal(100), Gap(1, 0, Decimal(10), "unbounded"), "unbounded", "bounded: 1 without a price of its own"),
    ],
)
def test_one_set_of_words_for_complete_bounded_and_unknown(amount: Any, gap: Gap, words: str, known: str) -> None:
    assert (ranged(amount, gap), how_known(amount, gap)) == (words, known)


def test_a_share_of_the_dollars_is_never_rounded_up() -> None:
    assert how_known(Decimal("999.99"), Gap(1, 0, Decimal(0), Decimal("0.01"))).endswith("99.9% of the dollars known")


@pytest.mark.parametrize(
    ("limit", "gap", "outcome"),
    [
        (140, BOUNDED, "within"),
        (139, BOUNDED, "cannot tell"),
        (110, BOUNDED, "cannot tell"),
        (109, BOUNDED, "over"),
        (109, OPEN, "over"),
        (1000, OPEN, "cannot tell"),
        (100, CLOSED, "within"),
        (99, CLOSED, "over"),
    ],
)
def test_a_limit_is_decided_by_the_bound_where_the_bound_decides(limit: int, gap: Gap, outcome: str) -> None:
    assert outcome_of(Decimal(100), gap, Decimal(limit)) == outcome


def test_the_gaps_of_parts_sum_to_that_of_the_whole() -> None:
    assert Gap.sum([BOUNDED, OPEN, CLOSED]) == Gap(5, 1, Decimal(20), Decimal(80))
    assert Gap.sum([]) == CLOSED


def _stack(make: Make) -> list[Resource]:
    """A machine with a price, $40,179.20 a month, and a disk of 100 GiB far from it."""
    machine = make(
        "aws:ec2/instance:Instance", "machine", instanceType="p5.48xlarge", rootBlockDevice={"volumeSize": 0},
        associatePublicIpAddress=False,
    )  # fmt: skip
    return [machine, make("aws:ebs/volume:Volume", "disk", type="gp3", size=100, region=NOWHERE)]


def test_a_bound_is_in_no_sum_and_stands_beside_it(make: Make, cost_of: CostOf, disk_gib: Bound) -> None:
    found = cost_of(*_stack(make))
    assert (found.monthly.expected, found.complete) == (Decimal("40179.20"), False)
    least, most = (cents(100 * usd) for usd in (disk_gib.least, disk_gib.most))
    assert found.gaps.expected == Gap(1, 0, least, most)
    (item,) = found.not_priced
    assert item.between is not None
    assert (item.between.least.monthly, item.between.most.monthly, item.between.rule) == (least, most, disk_gib.rule)
    assert all(line.instead_of is None for line in found.lines)


def test_a_bound_is_after_the_discount_as_prices_are(make: Make, cost_of: CostOf, disk_gib: Bound) -> None:
    disk = make("aws:ebs/volume:Volume", "disk", type="gp3", size=100, region=NOWHERE)
    (item,) = cost_of(disk, assumptions=Assumptions(terms={"aws": Terms(discount=Decimal("0.1"))})).not_priced
    assert item.between is not None
    assert (item.between.least.monthly, item.between.most.monthly) == tuple(
        cents(90 * usd) for usd in (disk_gib.least, disk_gib.most)
    )


def test_a_machine_with_a_price_and_a_disk_without_one_counts_as_both(make: Make, cost_of: CostOf) -> None:
    disk = {"volumeType": "st7", "volumeSize": 100}
    found = cost_of(make("aws:ec2/instance:Instance", instanceType="p5.48xlarge", rootBlockDevice=disk))
    coverage = found.coverage
    assert (coverage.priced, coverage.not_priced, coverage.both, coverage.resources) == (1, 1, 1, 1)


def test_what_comes_after_a_machine_that_is_bounded_is_priced_all_the_same(make: Make, cost_of: CostOf) -> None:
    known = cost_of(make("aws:ec2/instance:Instance", instanceType="p5.48xlarge", rootBlockDevice={"volumeSize": 100}))
    there = Resources([make("aws:ec2/instance:Instance", instanceType="p5.48xlarge",
                            rootBlockDevice={"volumeSize": 100})], default_regions={"aws": NOWHERE})  # fmt: skip
    found = estimate(there)
    assert [item.between.most.name for item in found.not_priced if item.between] == [line.name for line in known.lines]


@pytest.mark.parametrize(
    ("above", "outcome", "words"),
    [
        (Decimal(0), "within", "within budget: expected "),
        (Decimal("-0.01"), "cannot tell", "cannot tell whether it is within budget: expected "),
        (None, "over", "over budget by at least $0.01: expected "),
    ],
)
def test_a_budget_is_decided_by_the_bound(
    make: Make, cost_of: CostOf, disk_gib: Bound, above: Decimal | None, outcome: str, words: str
) -> None:
    found = cost_of(*_stack(make))
    least, most = (Decimal("40179.20") + cents(100 * usd) for usd in (disk_gib.least, disk_gib.most))
    verdict = budget_verdict(found, Budget(least - CENT if above is None else most + above, "fail"))
    assert verdict is not None
    assert (verdict.outcome, verdict.sentence.startswith(f"{words}{money(least)} to {money(most)} a month")) == (
        outcome,
        True,
    )
    assert verdict.sentence == Says("1", "without", "99.9%")


def test_usage_of_zero_without_a_price_leaves_the_amount_as_it_is(make: Make, cost_of: CostOf) -> None:
    found = cost_of(make("aws:sqs/queue:Queue"), region=NOWHERE)
    assert (found.complete, ranged(found.monthly.expected, found.gaps.expected)) == (False, "$0.00")


def test_a_gap_without_items_is_closed() -> None:
    nothing: tuple[NotPriced, ...] = ()
    assert Gap.of(nothing) == CLOSED
