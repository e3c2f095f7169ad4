"""One pool under one way to buy: sizes sold, the month, and when it is paid."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from gpucluster.cost.purchasing import Option, Options, PurchaseOption
from gpucluster.cost.purchasing.price import Bought, bought

Found = Callable[..., Options]
AWS = "aws,us-east-1,p5.48xlarge,instance-hour,savings_plan"


def _by_way(found: Options) -> dict[str, Option]:
    return {option.way.words: option for option in found.pools[0].options}


@pytest.mark.parametrize(
    ("purchase", "machines", "days", "got"),
    [
        ("on_demand", "5", "14", Bought(Decimal(5), Decimal(5))),
        ("capacity_block", "5", "14", Bought(Decimal(5), Decimal(8), Decimal(14))),
        ("capacity_block", "4", "15", Bought(Decimal(4), Decimal(4), Decimal(21))),
        ("capacity_block", "65", "2.5", Bought(Decimal(65), Decimal(65), Decimal(3))),
        ("capacity_block", "5", None, Bought(Decimal(5), Decimal(8))),
        ("dws_calendar", "5", "13.2", Bought(Decimal(5), Decimal(5), Decimal(14))),
    ],
)
def test_what_has_to_be_bought(purchase: str, machines: str, days: str | None, got: Bought) -> None:
    assert bought(PurchaseOption("aws", purchase), Decimal(machines), None if days is None else Decimal(days)) == got


def test_a_block_for_four_nodes_and_a_spare_is_one_of_eight_paid_upfront(options: Found) -> None:
    block = _by_way(options("aws"))["capacity block"]
    fee = Decimal("111627.26")  # 8 x 41.528 x 24 x 14 = 111,627.264
    assert (block.bought.machines, block.bought.idle) == (8, 3)
    assert (block.upfront, block.contract, block.by_end, block.then_monthly) == (fee, fee, fee, 0)
    assert block.monthly == Decimal("242523.52") == 8 * Decimal("41.528") * 730


def test_three_years_are_owed_whatever_happens_and_paid_by_the_month(options: Found) -> None:
    plan = _by_way(options("gcp"))["committed use 3y"]
    hourly = 5 * Decimal("40.65")
    assert (plan.monthly, plan.then_monthly, plan.upfront) == (hourly * 730, hourly * 730, 0)
    assert plan.contract == hourly * 26280 == Decimal("5341410.00")
    assert plan.by_end == hourly * 24 * 14
    assert plan.beats_on_demand == Decimal("40.65") / Decimal("93.40")


def test_upfront_payments_move_the_cash_and_not_the_month(options: Found) -> None:
    own = f"{AWS},1y,40,\n{AWS},1y-partial,38,\n{AWS},1y-all,36,\n"
    ways = _by_way(options("aws", own=own))
    year = 5 * 8760
    shown = {
        words: (option.monthly, option.upfront, option.then_monthly, option.contract)
        for words, option in ways.items()
        if words.startswith("savings plan 1y")
    }
    assert shown == {
        "savings plan 1y": (5 * 40 * 730, 0, 5 * 40 * 730, 40 * year),
        "savings plan 1y, half upfront": (5 * 38 * 730, 19 * year, 5 * 19 * 730, 38 * year),
        "savings plan 1y, all upfront": (5 * 36 * 730, 36 * year, 0, 36 * year),
    }


def test_a_discount_covers_a_share_and_the_rest_is_on_demand(options: Found) -> None:
    plan = _by_way(options("gcp", cover=Decimal("0.8")))["committed use 1y"]
    covered, rest = 4 * Decimal("64.21"), 1 * Decimal("93.40")
    assert (plan.covered, plan.monthly) == (Decimal("0.8"), (covered + rest) * 730)
    assert plan.contract == covered * 8760


def test_without_days_what_is_sold_by_the_day_has_no_fee(options: Found) -> None:
    ways = _by_way(options("aws", facts={"durationDays": None}))
    block = ways["capacity block"]
    assert (block.upfront, block.contract, block.by_end, block.monthly) == (None, None, None, Decimal("242523.52"))
    assert ways["on demand"].by_end is None


def test_days_of_the_user_go_before_those_of_the_stack(options: Found) -> None:
    ways = _by_way(options("aws", days=Decimal(30)))
    assert ways["on demand"].by_end == 5 * Decimal("55.04") * 24 * 30
    assert ways["capacity block"].bought.days == 35
